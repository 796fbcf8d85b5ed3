package throng;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.DoubleSupplier;
import java.util.logging.Logger;

/** What a device remembers, and what it may say. It asks nobody; {@link Throng} does, and holds its lock for each call here. */
final class Device {
    /** What becomes of a batch. */
    enum Outcome {
        /** It waits, for its pause or for another start. */
        WAITS,
        /** It is answered, and another one may follow. */
        DONE,
        /** Its window is not open, so the clock is wrong. */
        LATE,
        /** The plan is another one now. */
        OUTDATED
    }

    private static final double AGE = 47 * 3600;  // The daemon takes 48 hours.
    private static final double PLAN_AGE = 300, LONGEST_PAUSE = 300;
    private static final int EVENTS = 500;
    private static final Set<String> SIGNALS = new HashSet<>(
        Arrays.asList("global_privacy_control", "do_not_track", "limit_ad_tracking", "age_signal"));

    final Map<String, Object> state;
    final Map<String, Integer> dropped = new LinkedHashMap<>();
    Set<String> signals = new LinkedHashSet<>();
    /** Events that a daemon took since the start: counted, or of a test. */
    int taken;
    private final String app, key;
    private final boolean isTest;
    private final Map<String, Object> context;
    private final DoubleSupplier clock;
    private List<Early> early = new ArrayList<>();
    private String failure = "An attempt failed before the start";
    private final Set<String> said = new LinkedHashSet<>();

    /** An event before its plan is known, and what was allowed when it happened. */
    private static final class Early {
        String name;
        Map<String, Object> fields;
        double at;
        Map<String, Object> consent;
        Set<String> signals;
    }

    Device(String app, String key, boolean isTest, Map<String, Object> context, DoubleSupplier clock,
           Map<String, Object> state) {
        this.app = app;
        this.key = key;
        this.isTest = isTest;
        this.context = context;
        this.clock = clock;
        this.state = state;
        // What a test noted is no other's: only what the person said is.
        if (Json.flag(state, "test") != isTest) forgetAllButConsent();
        state.put("test", isTest);
    }

    private void forgetAllButConsent() {
        Map<String, Object> consent = Json.map(state, "consent");
        state.clear();
        state.put("consent", consent);
    }

    /** Signals as a set; IllegalArgumentException where one is none that a plan can honour: an opt-out must not get lost. */
    static Set<String> optOuts(Collection<String> signals) {
        for (String each : signals)
            if (!SIGNALS.contains(each)) throw new IllegalArgumentException("There is no signal " + each + "; there are " + SIGNALS + ".");
        return new LinkedHashSet<>(signals);
    }

    void forget() {
        for (Map<String, Object> purpose : purposes()) takeBack(purpose);
        List<Object> withdrawals = Json.list(state, "withdrawals");
        state.clear();
        state.put("test", isTest);
        state.put("withdrawals", withdrawals);
        early.clear();
    }

    double now() { return clock.getAsDouble() + correction(); }

    double correction() { return Json.number(state, "correction", 0); }

    int waiting() {
        double count = early.size();
        for (Object queue : Json.map(state, "queues").values())
            for (Map<String, Object> event : Json.maps(queue)) count += Json.number(event, "count", 1);
        for (Object batch : Json.map(state, "batches").values())
            for (Map<String, Object> event : Json.maps(Json.map(batch).get("events"))) count += Json.number(event, "count", 1);
        return (int) count;
    }

    private void drop(String reason, double count) { dropped.merge(reason, (int) count, Integer::sum); }

    /** Tells the developer, each thing once. */
    void say(String text) { if (said.size() < 100 && said.add(text)) Logger.getLogger("throng").warning(text); }

    /** Says where an answer is about no purpose of the plan; one that came before the plan is looked at with it. */
    void expect(Collection<String> answered) {
        Set<String> known = new LinkedHashSet<>(), odd = new LinkedHashSet<>(answered);
        for (Map<String, Object> purpose : purposes()) known.add(Json.text(purpose, "name"));
        odd.removeAll(known);
        for (String name : odd)
            if (!known.isEmpty())
                say("The plan of the app " + app + " has no purpose " + name + "; it has " + String.join(", ", known) + ".");
    }

    /** Says where the context has fields that no event of the plan has. */
    private void expectContext() {
        Set<String> odd = new LinkedHashSet<>(context.keySet());
        for (Map<String, Object> purpose : purposes())
            for (Map<String, Object> event : Json.maps(purpose.get("events"))) odd.removeAll(Json.list(event.get("fields")));
        for (String field : odd) say("The plan of the app " + app + " has no field " + field + ", which the context has.");
    }

    // The plan

    List<Map<String, Object>> purposes() { return Json.maps(Json.map(state.get("plan")).get("purposes")); }

    private Map<String, Object> purpose(String name) {
        for (Map<String, Object> purpose : purposes()) if (Json.text(purpose, "name").equals(name)) return purpose;
        return null;
    }

    /** Whether it goes through the plan's relay, or not at all: this client does not seal. */
    static boolean isSealed(Map<String, Object> purpose) { return Json.text(purpose, "transport").equals("oblivious"); }

    private static boolean isNameless(Map<String, Object> purpose) { return Json.text(purpose, "identifier").equals("none"); }

    boolean isPlanOld() {
        double age = clock.getAsDouble() - Json.number(state, "asked", 0);
        return purposes().isEmpty() || age < 0 || age >= PLAN_AGE;
    }

    void follow(Wire.Answer answer) {
        Json.map(state, "patience").remove("plan");
        state.put("plan", answer.body);
        state.put("asked", clock.getAsDouble());
        expect(Json.map(state, "consent").keySet());
        expectContext();
        double ahead = Wire.date(answer.date) - clock.getAsDouble();
        if (!Double.isNaN(ahead)) correct(Math.abs(ahead) > 60 ? ahead : 0);
    }

    /** Puts the clock right, and what waits to when it really happened, never beyond now. */
    private void correct(double correction) {
        double shift = correction - correction();
        state.put("correction", correction);
        if (Math.abs(shift) <= 60) return;
        for (Early each : early) each.at = Math.min(each.at + shift, now());
        for (Object queue : Json.map(state, "queues").values())
            for (Map<String, Object> event : Json.maps(queue))
                event.put("at", Wire.quarter(Math.min(Wire.instant(Json.text(event, "at")) + shift, now())));
    }

    private boolean allows(Map<String, Object> purpose) { return allows(purpose, Json.map(state, "consent"), signals); }

    private static boolean allows(Map<String, Object> purpose, Map<String, Object> consent, Set<String> signals) {
        for (Object signal : Json.list(purpose.get("refused_by"))) if (signals.contains(signal)) return false;
        boolean isAsked = Json.flag(purpose, "needs_consent");
        Object agreed = consent.get(Json.text(purpose, "name"));
        if (agreed == null) return !isAsked;
        return ((Number) agreed).doubleValue() >= (isAsked ? Json.number(purpose, "consent_version", 1) : 1);
    }

    /** The metrics that count an event by what the device says; those that its answers make are left out. */
    private List<Map<String, Object>> metrics(Map<String, Object> purpose, String event) {
        List<Map<String, Object>> found = new ArrayList<>();
        for (Map<String, Object> metric : Json.maps(Json.map(state.get("plan")).get("metrics"))) {
            Object answered = metric.get("answered");
            boolean isPlain = answered == null || Boolean.FALSE.equals(answered);
            if (isPlain && Json.text(metric, "purpose").equals(Json.text(purpose, "name"))
                && Json.list(metric.get("events")).contains(event)) found.add(metric);
        }
        return found;
    }

    // Events

    void record(String name, Map<String, ?> fields, int limit) {
        Early each = new Early();
        each.name = name;
        each.fields = new LinkedHashMap<>(fields);
        each.at = now();
        each.consent = new LinkedHashMap<>(Json.map(state, "consent"));
        each.signals = signals;
        early.add(each);
        if (early.size() > limit) {
            early.remove(0);
            drop("queue_full", 1);
        }
        sort();
    }

    /** An event as a purpose may have it; null where it may not. */
    Map<String, Object> event(Map<String, Object> purpose, String name, Map<String, ?> given, double at) {
        Map<String, Object> known = null;
        for (Map<String, Object> each : Json.maps(purpose.get("events"))) if (name.equals(each.get("name"))) known = each;
        List<Map<String, Object>> metrics = metrics(purpose, name);
        if (known == null || metrics.isEmpty()) return null;
        Set<Object> summed = new LinkedHashSet<>();
        for (Map<String, Object> metric : metrics) {
            for (Map<String, Object> sum : Json.maps(metric.get("sums"))) summed.add(sum.get("field"));
            if (metric.get("histogram") != null) summed.add(Json.map(metric.get("histogram")).get("field"));
        }
        Map<String, Object> fields = new LinkedHashMap<>();
        for (Object field : Json.list(known.get("fields"))) {
            Object value = given.get(field) == null ? context.get(field) : given.get(field);
            Object kept = null;
            if (summed.contains(field)) {
                kept = value == null ? null : Buckets.number(value);
                if (kept == null) {
                    say("Events " + name + " are not counted where their field " + field + " is no number, such as 24.9.");
                    return null;
                }
            } else if (value != null) {
                List<Map<String, Object>> readers = new ArrayList<>();
                for (Map<String, Object> reader : Json.maps(Json.map(state.get("plan")).get("dimensions")))
                    if (field.equals(reader.get("field"))) readers.add(reader);
                kept = Buckets.coarse(readers, value);
            }
            if (kept != null) fields.put((String) field, kept);
        }
        Map<String, Object> event = new LinkedHashMap<>();
        event.put("event", name);
        event.put("at", Wire.quarter(at));
        event.put("fields", fields);
        return event;
    }

    String previewed(Map<String, Object> purpose, Map<String, Object> event) {
        Map<String, Object> body = new LinkedHashMap<>();
        body.put("app", app);
        body.put("purpose", purpose.get("name"));
        body.put("events", Collections.singletonList(event));
        return Json.write(body);
    }

    /** Puts what was recorded into the queues of the purposes that may count it. */
    void sort() {
        if (purposes().isEmpty()) return;
        List<Early> before = early;
        early = new ArrayList<>();
        for (Early each : before) {
            Set<Object> known = new LinkedHashSet<>();
            boolean isPlanned = false, isAllowed = false;
            for (Map<String, Object> purpose : purposes())
                for (Map<String, Object> event : Json.maps(purpose.get("events")))
                    if (each.name.equals(event.get("name"))) {
                        isPlanned = true;
                        known.addAll(Json.list(event.get("fields")));
                    }
            if (!isPlanned || !known.containsAll(each.fields.keySet())) {
                drop(isPlanned ? "unknown_field" : "unknown_event", 1);
                Set<String> odd = new LinkedHashSet<>(each.fields.keySet());
                odd.removeAll(known);
                say("Events " + each.name + (isPlanned ? " with the fields " + odd : "") + " are not counted: the plan of the app "
                    + app + " has no such.");
                continue;
            }
            for (Map<String, Object> purpose : purposes()) {
                if (!counts(purpose, each.name) || !allows(purpose) || !allows(purpose, each.consent, each.signals)) continue;
                isAllowed = true;
                Map<String, Object> event = event(purpose, each.name, each.fields, each.at);
                if (event == null && !metrics(purpose, each.name).isEmpty()) drop("invalid_value", 1);
                if (event != null && isSealed(purpose)) drop("oblivious_only", 1);
                if (event == null || isSealed(purpose) || !isSampled(purpose, each.name) || !hasRoom(purpose, each.name, each.at)) continue;
                event.put("count", 1L);
                enqueue(Json.text(purpose, "name"), event);
            }
            if (!isAllowed) drop("not_allowed", 1);
        }
    }

    private static boolean counts(Map<String, Object> purpose, String event) {
        for (Map<String, Object> each : Json.maps(purpose.get("events"))) if (event.equals(each.get("name"))) return true;
        return false;
    }

    private boolean isSampled(Map<String, Object> purpose, String event) {
        double share = 0;
        for (Map<String, Object> metric : metrics(purpose, event)) share = Math.max(share, Json.number(metric, "sampling", 1));
        return ThreadLocalRandom.current().nextDouble() < share;
    }

    /** Where there are no identifiers the daemon can't keep bounds: the device does, in the metric's period. */
    private boolean hasRoom(Map<String, Object> purpose, String event, double at) {
        if (!isNameless(purpose)) return true;
        Map<String, Object> spent = Json.map(state, "spent");
        boolean hasRoom = true;
        List<Map<String, Object>> all = new ArrayList<>();
        for (Map<String, Object> metric : metrics(purpose, event)) {
            Map<String, Object> own = Json.map(spent, Json.text(metric, "name"));
            String period = Wire.period(Json.text(metric, "period"), at, Json.text(Json.map(state.get("plan")), "time_zone"));
            if (!period.equals(own.get("period"))) own.put("count", 0L);
            own.put("period", period);
            hasRoom &= Json.number(own, "count", 0) < Json.number(metric, "contribution_bound", 1);
            all.add(own);
        }
        if (hasRoom) for (Map<String, Object> own : all) own.put("count", (long) Json.number(own, "count", 0) + 1);
        else drop("contribution_bound", 1);
        return hasRoom;
    }

    /** What happens again in the same quarter is a number: no order and no rhythm leave the device. */
    private void enqueue(String purpose, Map<String, Object> event) {
        List<Object> queue = Json.list(Json.map(state, "queues"), purpose);
        for (Map<String, Object> before : Json.maps(queue)) {
            if (!before.get("event").equals(event.get("event")) || !before.get("at").equals(event.get("at"))
                || !before.get("fields").equals(event.get("fields"))) continue;
            before.put("count", (long) Math.min(Json.number(before, "count", 1) + Json.number(event, "count", 1), 1e6));
            return;
        }
        queue.add(event);
        if (queue.size() > 1000) drop("queue_full", Json.number(Json.map(queue.remove(0)), "count", 1));
    }

    // Batches

    /** The batch of a purpose that may go now, made where there is none; null where none may. */
    Map<String, Object> nextBatch(String name) {
        Map<String, Object> purpose = purpose(name), batches = Json.map(state, "batches");
        if (purpose == null || isSealed(purpose) || !allows(purpose)) return null;
        Map<String, Object> batch = batches.get(name) == null ? null : Json.map(batches.get(name));
        if (batch != null && now() >= Json.number(batch, "until", 0)) {
            end(name, batch, !Json.flag(batch, "may_have_arrived"), "unanswered");
            batch = null;
        }
        if (mustWait(name)) return null;
        return batch == null ? pack(purpose) : batch;
    }

    /** Makes a batch of what waits: bytes that stay as they are. */
    private Map<String, Object> pack(Map<String, Object> purpose) {
        String name = Json.text(purpose, "name");
        List<Object> events = new ArrayList<>(), rest = new ArrayList<>();
        for (Map<String, Object> event : Json.maps(Json.map(state, "queues").remove(name))) {
            if (Wire.instant(Json.text(event, "at")) < now() - AGE) drop("too_old", Json.number(event, "count", 1));
            else (events.size() < EVENTS ? events : rest).add(event);
        }
        if (!rest.isEmpty()) Json.map(state, "queues").put(name, rest);
        if (events.isEmpty()) return null;
        double rotation = Json.number(purpose, "rotation_seconds", 900);
        long window = (long) Math.floor(now() / rotation);
        Map<String, Object> body = new LinkedHashMap<>(), batch = new LinkedHashMap<>();
        body.put("app", app);
        body.put("purpose", name);
        body.put("window", window);
        body.put("batch", Wire.random(16));
        if (!isNameless(purpose)) body.put("id", identifier(name, window, rotation));
        if (key != null) body.put("key", key);
        if (isTest) body.put("test", true);
        if (Json.flag(purpose, "needs_consent")) body.put("consent_version", Json.map(state, "consent").get(name));
        body.put("events", events);
        batch.put("body", Json.write(body));
        batch.put("id", Json.text(body, "id"));
        batch.put("events", events);
        batch.put("until", (window + 2) * rotation);
        batch.put("may_have_arrived", false);
        Json.map(state, "batches").put(name, batch);
        return batch;
    }

    /** Takes in what the daemon said of a batch; null where it said nothing. */
    Outcome settle(String purpose, Map<String, Object> batch, Wire.Answer answer, boolean mayHaveArrived) {
        if (answer == null) {
            bePatient(purpose, null);
            return Outcome.WAITS;
        }
        String word = Json.text(answer.body, "error");
        if (answer.status == 202 && answer.body.get("refused") instanceof List) {
            boolean isOutdated = false;
            List<Map<String, Object>> events = Json.maps(batch.get("events"));
            for (Map<String, Object> refusal : Json.maps(answer.body.get("refused"))) {
                isOutdated |= "consent_outdated".equals(refusal.get("reason"));
                int index = (int) Json.number(refusal, "index", -1);
                if (index < 0 || index >= events.size()) continue;
                drop(Json.text(refusal, "reason"), Json.number(events.get(index), "count", 1));
                taken -= (int) Json.number(events.get(index), "count", 1);
            }
            for (Map<String, Object> event : events) taken += (int) Json.number(event, "count", 1);
            end(purpose, batch, false, null);
            return isOutdated ? Outcome.OUTDATED : Outcome.DONE;
        }
        if (answer.status < 400 || answer.status >= 500 || answer.status == 408 || answer.status == 429) {
            // Nothing of it was counted where the daemon says so; an earlier attempt may have been.
            boolean isSure = answer.status == 503 || word.equals("network_quota");
            batch.put("may_have_arrived", mayHaveArrived || !isSure);
            bePatient(purpose, answer);
            return Outcome.WAITS;
        }
        boolean isLate = word.equals("window_out_of_range") && !mayHaveArrived;
        end(purpose, batch, isLate, word.isEmpty() ? "refused" : word);
        return isLate ? Outcome.LATE : Outcome.WAITS;
    }

    /** Ends a batch; its events travel in another one where none was counted. */
    private void end(String purpose, Map<String, Object> batch, boolean returns, String reason) {
        Json.map(state, "batches").remove(purpose);
        Json.map(state, "patience").remove(purpose);
        for (Map<String, Object> event : Json.maps(batch.get("events"))) {
            if (returns) enqueue(purpose, event);
            else if (reason != null) drop(reason, Json.number(event, "count", 1));
        }
    }

    /** 128 bits of HMAC-SHA-256 over purpose and window, and how often the purpose was taken back. */
    private String identifier(String purpose, long window, double rotation) {
        if (Json.text(state, "secret").isEmpty()) state.put("secret", Wire.random(32));
        long mark = (long) Json.number(Json.map(state, "marks"), purpose, 0);
        String id = Wire.identifier(Json.text(state, "secret"), purpose, window, mark == 0 ? "" : "\u001f" + mark);
        List<Object> used = Json.list(Json.map(state, "used"), purpose);
        used.removeIf(each -> (Json.number(Json.map(each), "window", 0) + 2) * rotation <= now()
            || id.equals(Json.map(each).get("id")));
        Map<String, Object> own = new LinkedHashMap<>();
        own.put("window", window);
        own.put("id", id);
        used.add(own);
        return id;
    }

    // Taking back

    /** Where a purpose may not count any more: what waits goes, and what its open windows have is taken back. */
    void hush() {
        for (Map<String, Object> purpose : purposes()) if (!allows(purpose)) takeBack(purpose);
    }

    private void takeBack(Map<String, Object> purpose) {
        String name = Json.text(purpose, "name");
        for (String part : new String[] {"queues", "batches", "patience"}) Json.map(state, part).remove(name);
        List<Map<String, Object>> used = Json.maps(Json.map(state, "used").remove(name));
        Map<String, Object> marks = Json.map(state, "marks");
        if (!used.isEmpty()) marks.put(name, (long) Json.number(marks, name, 0) + 1);
        for (Map<String, Object> each : used) {
            Map<String, Object> body = new LinkedHashMap<>(), withdrawal = new LinkedHashMap<>();
            body.put("app", app);
            body.put("purpose", name);
            body.putAll(each);
            withdrawal.put("purpose", name);
            withdrawal.put("until", (Json.number(each, "window", 0) + 2) * Json.number(purpose, "rotation_seconds", 900));
            withdrawal.put("body", Json.write(body));
            Json.list(state, "withdrawals").add(withdrawal);
        }
    }

    Map<String, Object> nextWithdrawal() {
        List<Object> all = Json.list(state, "withdrawals");
        all.removeIf(each -> now() >= Json.number(Json.map(each), "until", 0));
        return all.isEmpty() || mustWait("withdraw") ? null : Json.map(all.get(0));
    }

    // Patience

    boolean mustWait(String what) { return pauseOf(what) > 0; }

    /** How long it is to wait. What is farther off than it was at first is the clock's fault, which was set back. */
    double pauseOf(String what) {
        Map<String, Object> patience = Json.map(Json.map(state, "patience").get(what));
        double left = Json.number(patience, "until", 0) - clock.getAsDouble();
        return left > 0 && left <= Json.number(patience, "pause", left) + 1 ? left : 0;
    }

    /** Why something waits, in words; empty where nothing is wrong. */
    String problem() {
        double least = Double.POSITIVE_INFINITY;
        for (String name : Json.map(state, "patience").keySet()) least = Math.min(least, pauseOf(name));
        if (least < Double.POSITIVE_INFINITY) return failure + "; the next attempt is in " + Math.round(least) + " s.";
        return purposes().isEmpty() ? "There is no plan of the app " + app + " yet." : "";
    }

    /** The seconds until another attempt makes sense; negative where nothing waits. */
    double nextPause() {
        Set<String> names = new LinkedHashSet<>(Json.map(state, "batches").keySet());
        for (Map.Entry<String, Object> queue : Json.map(state, "queues").entrySet())
            if (!Json.list(queue.getValue()).isEmpty()) names.add(queue.getKey());
        if (!Json.list(state, "withdrawals").isEmpty()) names.add("withdraw");
        double least = Double.POSITIVE_INFINITY;
        for (String name : names) least = Math.min(least, pauseOf(name));
        return names.isEmpty() ? -1 : least;
    }

    /** Notes that nothing is tried for a while: twice as long each time, and no less than Retry-After, a day at most. */
    void bePatient(String what, Wire.Answer answer) {
        Map<String, Object> patience = Json.map(Json.map(state, "patience"), what);
        double failures = Json.number(patience, "failures", 0) + 1;
        double pause = Math.min(Math.pow(2, Math.min(failures, 30)), LONGEST_PAUSE)
            * ThreadLocalRandom.current().nextDouble(0.5, 1.5);
        String asked = answer == null || answer.retryAfter == null ? "" : answer.retryAfter;
        if (asked.matches("[0-9]{1,9}")) pause = Math.max(pause, Math.min(Double.parseDouble(asked), 86_400));
        patience.put("failures", failures);
        patience.put("until", clock.getAsDouble() + pause);
        patience.put("pause", pause);
        failure = answer == null ? "No answer came"
            : ("The daemon answered " + answer.status + " " + Json.text(answer.body, "error")).trim();
    }
}
