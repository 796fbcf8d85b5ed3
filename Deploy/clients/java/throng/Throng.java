package throng;

import java.io.File;
import java.io.IOException;
import java.net.URI;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Deque;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.DoubleSupplier;

/**
 * One device's client for one app: counts what an app does, as a crowd.
 *
 * <pre>{@code
 * Throng throng = new Throng.Options("https://count.example.com", "shop", new File(folder, "throng")).start();
 * throng.setConsent("marketing", true);
 * throng.record("purchase", Map.of("amount", 24.9));
 * throng.send();                                  // now and then, in the background, and before the end
 * }</pre>
 *
 * <p>Nothing leaves the device that the plan does not name, and that only as coarsely as the plan keeps it. Any thread may call it;
 * only {@link #send} and {@link #preview} wait for the network. What waits is on disk after each {@code send}, {@link #save} and
 * answer of the person; a batch is sent byte for byte until it is answered, so that it counts once.
 */
public final class Throng implements AutoCloseable {
    /** What a client starts with. */
    public static final class Options {
        private final String url, app;
        private final File folder;
        private final Map<String, Object> context = new LinkedHashMap<>();
        private Set<String> signals = new HashSet<>();
        private String key;
        private boolean isTest;
        private DoubleSupplier clock = () -> System.currentTimeMillis() / 1e3;

        /**
         * Names the daemon's address, https or this machine's own; the app of its plan; and the folder that belongs to this client
         * alone.
         */
        public Options(String url, String app, File folder) {
            this.url = url.endsWith("/") ? url.substring(0, url.length() - 1) : url;
            this.app = app;
            this.folder = folder;
        }

        /** What is true of the device and goes with each event whose metrics use it, such as {"screen": "390x844"}. */
        public Options context(Map<String, ?> fields) {
            context.putAll(fields);
            return this;
        }

        /** The opt-outs that hold, such as "limit_ad_tracking". */
        public Options signals(Collection<String> signals) {
            this.signals = Device.optOuts(signals);
            return this;
        }

        /** The app key that goes with each batch, where the operator has made one; it is no secret. */
        public Options key(String key) {
            this.key = key;
            return this;
        }

        /** True for a build that is not in people's hands: the daemon checks and answers it, and counts nothing. */
        public Options test(boolean isTest) {
            this.isTest = isTest;
            return this;
        }

        /** The clock; unix time in seconds. */
        public Options clock(DoubleSupplier clock) {
            this.clock = clock;
            return this;
        }

        /** Starts it; IOException where another client has the folder, or the disk takes nothing. */
        public Throng start() throws IOException { return new Throng(this); }
    }

    /** A request as it left, and what came of it. */
    public static final class Sent {
        /** The purpose, its address, and the body byte for byte. */
        public final String purpose, path, body;
        /** The status of the answer, and the answer. */
        public final int status;
        public final Map<String, Object> answer;

        Sent(String purpose, String path, String body, Wire.Answer answer) {
            this.purpose = purpose;
            this.path = path;
            this.body = body;
            status = answer.status;
            this.answer = answer.body;
        }
    }

    private static final int QUEUE = 1000;
    private static final int LOG = 100;

    private final Options options;
    private final Folder folder;
    private final Device device;
    private final Deque<Sent> log = new ArrayDeque<>();
    private final Object sending = new Object();

    private Throng(Options options) throws IOException {
        URI address = URI.create(options.url);
        String host = String.valueOf(address.getHost());
        boolean isHere = "http".equals(address.getScheme())
            && (host.equals("localhost") || host.equals("127.0.0.1") || host.equals("[::1]"));
        if (!"https".equals(address.getScheme()) && !isHere)
            throw new IllegalArgumentException("The daemon's address must begin with https://, or be http:// on this machine.");
        this.options = options;
        folder = new Folder(options.folder);
        device = new Device(options.app, options.key, options.isTest, options.context, options.clock, folder.load());
        device.signals = options.signals;
    }

    // What an app says

    /** What the person said about a purpose, of its first version. */
    public void setConsent(String purpose, boolean given) throws IOException { setConsent(purpose, given, 1); }

    /** What the person said about a purpose; version is the purpose's that they were asked about. */
    public synchronized void setConsent(String purpose, boolean given, int version) throws IOException {
        device.expect(Collections.singleton(purpose));
        Json.map(device.state, "consent").put(purpose, (long) (given ? version : 0));
        device.hush();
        save();
    }

    /** The opt-outs that hold from now on. */
    public synchronized void setSignals(Collection<String> signals) throws IOException {
        device.signals = Device.optOuts(signals);
        device.hush();
        save();
    }

    /** Notes that something happened; what the plan does not name is dropped. */
    public void record(String event) { record(event, new LinkedHashMap<String, Object>()); }

    /** Notes that something happened, with fields: text, numbers, flags. */
    public synchronized void record(String event, Map<String, ?> fields) { device.record(event, fields, QUEUE); }

    /**
     * Makes it another device: forgets all, the secret and what waits included, and with the next {@link #send} takes back what was sent
     * in open windows. What the person said is forgotten, too: a purpose that asks counts nothing until it is said again, others go on.
     */
    public synchronized void forget() throws IOException {
        device.forget();
        log.clear();
        save();
    }

    /** Puts on disk what was recorded since the last time. */
    public synchronized void save() throws IOException { folder.save(device.state); }

    /** Saves, and gives the folder up; what waits stays there. */
    @Override
    public synchronized void close() throws IOException {
        save();
        folder.close();
    }

    // What an app may show

    /** Events that are not answered yet. */
    public synchronized int waiting() { return device.waiting(); }

    /** Events that were not sent or not counted since the start, by reason; the daemon's reasons among them. */
    public synchronized Map<String, Integer> dropped() { return new LinkedHashMap<>(device.dropped); }

    /** Events that the daemon counted since the start; none of a test. */
    public synchronized int counted() { return options.isTest ? 0 : device.taken; }

    /** Events of a test since the start that the plan takes; the daemon counts none of them. */
    public synchronized int tested() { return options.isTest ? device.taken : 0; }

    /** Why something waits, in words; empty where nothing is wrong. */
    public synchronized String problem() { return device.problem(); }

    /** The last requests as they left, with their answers. */
    public synchronized List<Sent> log() { return new ArrayList<>(log); }

    /** What the daemon would count of an event, by purpose; nothing is counted. */
    public Map<String, Object> preview(String event, Map<String, ?> fields) throws IOException {
        Map<String, String> bodies = new LinkedHashMap<>();
        synchronized (this) {
            for (Map<String, Object> purpose : device.purposes()) {
                Map<String, Object> found = Device.isSealed(purpose) ? null : device.event(purpose, event, fields, device.now());
                if (found != null) bodies.put(Json.text(purpose, "name"), device.previewed(purpose, found));
            }
        }
        Map<String, Object> answers = new LinkedHashMap<>();
        for (Map.Entry<String, String> each : bodies.entrySet())
            answers.put(each.getKey(), Wire.ask("POST", options.url + "/v1/preview", each.getValue()).body);
        return answers;
    }

    /** How it stands, in a line. */
    @Override
    public synchronized String toString() {
        return (options.isTest ? "tested " : "counted ") + device.taken + ", waiting " + waiting() + ", dropped " + dropped()
            + (problem().isEmpty() ? "" : ", " + problem());
    }

    // Sending

    /**
     * Sends what may be sent now, and waits for the answers.
     *
     * @return the seconds until another call makes sense; negative where nothing waits.
     */
    public double send() throws IOException {
        synchronized (sending) {
            learn(false);
            List<String> purposes = new ArrayList<>();
            synchronized (this) {
                if (device.purposes().isEmpty()) {
                    save();
                    return device.pauseOf("plan");
                }
                device.sort();
                device.hush();
                for (Map<String, Object> purpose : device.purposes()) purposes.add(Json.text(purpose, "name"));
            }
            takeBack();
            for (String purpose : purposes) while (sendBatch(purpose));
            synchronized (this) {
                save();
                return device.nextPause();
            }
        }
    }

    /** Asks for the plan, and what time it is, where what is known is old; true where the daemon said. */
    private boolean learn(boolean anew) throws IOException {
        synchronized (this) {
            if (!anew && !device.isPlanOld() || device.mustWait("plan")) return false;
        }
        Wire.Answer answer = ask("GET", "/v1/plan/" + options.app, null);
        synchronized (this) {
            boolean isPlan = answer != null && answer.status == 200 && options.app.equals(answer.body.get("app"))
                && answer.body.get("purposes") instanceof List;
            if (isPlan) device.follow(answer);
            else device.bePatient("plan", answer);
            save();
            return isPlan;
        }
    }

    private void takeBack() throws IOException {
        while (true) {
            Map<String, Object> next;
            synchronized (this) {
                next = device.nextWithdrawal();
                save();
            }
            if (next == null) return;
            Wire.Answer answer = ask("POST", "/v1/withdraw", Json.text(next, "body"));
            synchronized (this) {
                if (answer != null) note(new Sent(Json.text(next, "purpose"), "/v1/withdraw", Json.text(next, "body"), answer));
                if (answer == null || answer.status != 202 && (answer.status < 400 || answer.status >= 500)) {
                    device.bePatient("withdraw", answer);
                    return;
                }
                if (answer.status != 202) device.say("What was taken back stays counted: " + Json.text(answer.body, "error") + ".");
                Json.list(device.state, "withdrawals").remove(next);
                Json.map(device.state, "patience").remove("withdraw");
            }
        }
    }

    /** Sends a batch of a purpose; true where another one may follow at once. */
    private boolean sendBatch(String purpose) throws IOException {
        Map<String, Object> batch;
        boolean before;
        synchronized (this) {
            batch = device.nextBatch(purpose);
            if (batch == null) return false;
            before = Json.flag(batch, "may_have_arrived");
            // On disk before it goes out: whatever happens now, it may have arrived.
            batch.put("may_have_arrived", true);
            save();
        }
        String body = Json.text(batch, "body");
        Wire.Answer answer = ask("POST", "/v1/batches" + Wire.slotQuery(Json.text(batch, "id")), body);
        Device.Outcome outcome;
        double correction;
        synchronized (this) {
            if (answer != null) note(new Sent(purpose, "/v1/batches", body, answer));
            // Taken back meanwhile: nothing of it is kept.
            if (Json.map(device.state, "batches").get(purpose) != batch) return false;
            outcome = device.settle(purpose, batch, answer, before);
            correction = device.correction();
            save();
        }
        if (outcome == Device.Outcome.WAITS) return false;
        if (outcome == Device.Outcome.DONE) return true;
        boolean isLearned = learn(true);
        synchronized (this) {
            // By a wrong clock its events travel in another batch, once the time is known.
            return isLearned && (outcome == Device.Outcome.OUTDATED || device.correction() != correction);
        }
    }

    private void note(Sent sent) {
        log.addLast(sent);
        if (log.size() > LOG) log.removeFirst();
    }

    /** One request; null where no answer came. */
    private Wire.Answer ask(String method, String path, String body) {
        try {
            return Wire.ask(method, options.url + path, body);
        } catch (IOException error) {
            return null;
        }
    }
}
