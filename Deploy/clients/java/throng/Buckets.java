package throng;

import java.math.BigDecimal;
import java.math.MathContext;
import java.math.RoundingMode;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.text.Normalizer;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZonedDateTime;
import java.time.temporal.IsoFields;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.UnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Coarsens values on the device, by the rules of a public plan, as the daemon would.
 *
 * <p>Deploy/conform/vectors.json has values of each kind with their buckets. A user agent is not read here: a program knows its
 * own system, and sends the bucket's name.
 */
final class Buckets {
    private Buckets() {}

    static final String OTHER = "other";
    private static final Pattern NUMBER = Pattern.compile("[+-]?([0-9]+\\.?[0-9]*|\\.[0-9]+)([eE][+-]?[0-9]+)?");
    private static final Pattern ADDRESS =
        Pattern.compile("([Hh][Tt]{2}[Pp][Ss]?:/*|[A-Za-z0-9+.-]*://|//)?([^/]*)(.*)", Pattern.DOTALL);
    private static final Pattern HOURS = Pattern.compile(
        "(?i)(?:GMT|UTC)?([+-])([0-9]{2}):?([0-9]{2})|(?:GMT|UTC)([+-])([0-9]{1,2})(?::([0-9]{2}))?");
    private static final Pattern VERSION = Pattern.compile("([0-9]+)(?:[._,]([0-9]+))?");
    private static final Pattern CODE = Pattern.compile("([A-Za-z]+)(?=[-_.@,;:]|\\z)");

    /** A number, or a text that is one; null for anything else. */
    static Double number(Object value) {
        if (value instanceof String && !NUMBER.matcher((String) value).matches()) return null;
        if (!(value instanceof String) && !(value instanceof Number)) return null;
        double found = value instanceof String ? Double.parseDouble((String) value) : ((Number) value).doubleValue();
        return found - found == 0 ? found : null;
    }

    private static boolean isFraction(Object value) {
        return value instanceof Number && ((Number) value).doubleValue() != Math.rint(((Number) value).doubleValue());
    }

    /** Text as it is, whole numbers in decimal, flags as words; null for the rest. */
    private static String spelled(Object value) {
        if (value instanceof String || value instanceof Boolean) return value.toString();
        if (!(value instanceof Number) || isFraction(value)) return null;
        if (value instanceof Long || value instanceof Integer || value instanceof Short) return value.toString();
        double number = ((Number) value).doubleValue();
        return Math.abs(number) < 0x1p63 ? Long.toString((long) number) : null;
    }

    /** Capital letters of ASCII as small ones, and no others. */
    private static String folded(String text) {
        StringBuilder found = new StringBuilder(text);
        for (int i = 0; i < text.length(); i++)
            if (text.charAt(i) >= 'A' && text.charAt(i) <= 'Z') found.setCharAt(i, (char) (text.charAt(i) | 0x20));
        return found.toString();
    }

    /** The bucket of a value; null for a kind that this client does not coarsen by. */
    static String bucket(Map<String, Object> rule, List<Object> labels, Object value) {
        if (value instanceof String && labels.contains(value)) return (String) value;
        switch (Json.text(rule, "kind")) {
            case "list": return group(rule, spelled(value), text -> text);
            case "region": return group(rule, spelled(value), Buckets::folded);
            case "bands": case "powers": return band(rule, labels, number(value));
            case "significant_figures": return rounded(rule, labels, number(value));
            case "version": return version(rule, labels, value);
            case "screen": return screen(rule, value);
            case "language": return language(rule, value);
            case "utc_offset": return offset(rule, labels, value);
            case "time": return part(rule, labels, number(value));
            case "host": return value instanceof String ? host(rule, (String) value) : OTHER;
            case "route": return value instanceof String ? route(rule, (String) value) : OTHER;
            case "file_type": return value instanceof String ? fileType(rule, (String) value) : OTHER;
            default: return null;
        }
    }

    /** The label that says a value's bucket to all dimensions that read its field; null where none does. */
    static String coarse(List<Map<String, Object>> readers, Object value) {
        List<String> found = new ArrayList<>();
        for (Map<String, Object> reader : readers) found.add(bucketBy(reader, value));
        for (String label : found) {
            if (label == null) continue;
            boolean saysAll = true;
            for (int i = 0; i < readers.size(); i++) saysAll &= label.equals(found.get(i)) || bucketBy(readers.get(i), label).equals(found.get(i));
            if (saysAll) return label;
        }
        return null;
    }

    private static String bucketBy(Map<String, Object> reader, Object value) {
        return bucket(Json.map(reader.get("rule")), Json.list(reader.get("buckets")), value);
    }

    private static String group(Map<String, Object> rule, String text, UnaryOperator<String> fold) {
        if (text == null) return OTHER;
        for (Map<String, Object> group : Json.maps(rule.get("groups"))) {
            String label = Json.text(group, "label");
            if (fold.apply(label).equals(fold.apply(text))) return label;
            for (Object each : Json.list(group.get("values")))
                if (fold.apply(each.toString()).equals(fold.apply(text))) return label;
        }
        return OTHER;
    }

    private static String band(Map<String, Object> rule, List<Object> labels, Double number) {
        if (number == null) return OTHER;
        int place = 0;
        for (Object edge : Json.list(rule.get("edges"))) if (((Number) edge).doubleValue() <= number) place++;
        return (String) labels.get(place);
    }

    private static String rounded(Map<String, Object> rule, List<Object> labels, Double number) {
        if (number == null) return OTHER;
        if (number <= 1e-12) return (String) labels.get(0);
        BigDecimal found = new BigDecimal(Double.toString(Math.min(number, 1e18)))
            .round(new MathContext((int) Json.number(rule, "digits", 1), RoundingMode.HALF_EVEN));
        String nearest = OTHER;
        // Labels stand in their order: what is beyond them lands in the first or the last.
        for (Object label : labels) {
            if (label.equals(OTHER)) continue;
            if (nearest.equals(OTHER) || new BigDecimal((String) label).compareTo(found) <= 0) nearest = (String) label;
        }
        return nearest;
    }

    private static String version(Map<String, Object> rule, List<Object> labels, Object value) {
        boolean isMajor = Json.text(rule, "level").equals("major");
        String text = spelled(value);
        if (isFraction(value)) {
            // A number such as 17.4 has lost its zeros: its minor part says nothing.
            double number = ((Number) value).doubleValue();
            text = isMajor && number >= 0 && number < 1e15 ? Long.toString((long) number) : null;
        }
        Matcher match = VERSION.matcher(text == null ? "" : text);
        if (!match.lookingAt()) return OTHER;
        String minor = match.group(2) == null ? "0" : match.group(2);
        String label = isMajor ? match.group(1) : match.group(1) + "." + minor;
        return labels.contains(label) ? label : OTHER;
    }

    private static String screen(Map<String, Object> rule, Object value) {
        Object[] sides = value instanceof String ? ((String) value).split("[xX]", 2) : new Object[] {value};
        double least = Double.POSITIVE_INFINITY;
        for (Object side : sides) {
            Double found = number(side);
            if (found == null || found <= 0) return OTHER;
            least = Math.min(least, found);
        }
        return least < Json.number(rule, "medium_from", 0) ? "small"
            : least < Json.number(rule, "large_from", 0) ? "medium" : "large";
    }

    private static String language(Map<String, Object> rule, Object value) {
        Matcher match = CODE.matcher(value instanceof String ? (String) value : "");
        String code = match.lookingAt() ? folded(match.group(1)) : "";
        return Json.list(rule.get("known")).contains(code) ? code : group(rule, code, text -> text);
    }

    private static String offset(Map<String, Object> rule, List<Object> labels, Object value) {
        Double minutes = value instanceof String ? minutes((String) value) : null;
        if (minutes == null) minutes = number(value);
        if (minutes == null && value instanceof String) minutes = standardOffset((String) value);
        if (minutes == null) return OTHER;
        double hour = Math.floor(minutes / 60);
        return hour < -12 || hour > 14 ? OTHER
            : (String) labels.get((int) (hour + 12) / (int) Json.number(rule, "band_hours", 1));
    }

    /** The minutes of an offset such as "+05:30", "+0530" or "GMT+5"; null for anything else. */
    private static Double minutes(String text) {
        Matcher match = HOURS.matcher(text);
        if (!match.matches()) return null;
        int first = match.group(1) == null ? 4 : 1;
        int minute = match.group(first + 2) == null ? 0 : Integer.parseInt(match.group(first + 2));
        double found = Integer.parseInt(match.group(first + 1)) * 60 + minute;
        return minute > 59 ? null : match.group(first).equals("-") ? Double.valueOf(-found) : Double.valueOf(found);
    }

    /** A time zone's standard offset, which of winter and summer is further west; null for no zone. Unit: minutes. */
    private static Double standardOffset(String name) {
        for (String known : ZoneId.getAvailableZoneIds()) {
            if (known.startsWith("SystemV/") || !folded(known).equals(folded(name))) continue;
            double least = Double.POSITIVE_INFINITY;
            for (String day : new String[] {"2026-01-15T00:00:00Z", "2026-07-15T00:00:00Z"})
                least = Math.min(least, ZoneId.of(known).getRules().getOffset(Instant.parse(day)).getTotalSeconds() / 60);
            return least;
        }
        return null;
    }

    private static String part(Map<String, Object> rule, List<Object> labels, Double seconds) {
        if (seconds == null || seconds < -62_135_510_400.0 || seconds > 253_402_214_400.0) return OTHER;
        ZonedDateTime moment;
        try {
            moment = Instant.ofEpochSecond((long) Math.floor(seconds)).atZone(ZoneId.of(Json.text(rule, "time_zone")));
        } catch (DateTimeException error) {
            return OTHER;
        }
        int place;
        switch (Json.text(rule, "part")) {
            case "hour": place = moment.getHour(); break;
            case "day": place = moment.getDayOfMonth() - 1; break;
            case "weekday": place = moment.getDayOfWeek().getValue() - 1; break;
            default: place = moment.get(IsoFields.WEEK_OF_WEEK_BASED_YEAR) - 1;
        }
        return (String) labels.get(place);
    }

    // Addresses

    /** A URL in its parts, as browsers read it: without query, and with slashes only. */
    private static Matcher address(String text) {
        int first = 0, end = text.length();
        while (first < end && text.charAt(first) <= ' ') first++;
        while (end > first && text.charAt(end - 1) <= ' ') end--;
        String plain = text.substring(first, end).replaceAll("[\t\n\r]", "").split("[?#]", 2)[0].replace('\\', '/');
        Matcher parts = ADDRESS.matcher(plain);
        if (!parts.matches()) throw new IllegalStateException("every text is an address");
        return parts;
    }

    /** A text with its escapes decoded, once; an escaped slash stays apart from others. Null for what is no UTF-8. */
    private static String decoded(String text) {
        byte[] bytes = text.replaceAll("(?i)%2f", "%00").getBytes(StandardCharsets.UTF_8);
        ByteBuffer found = ByteBuffer.allocate(bytes.length);
        for (int i = 0; i < bytes.length; i++) {
            int high = bytes[i] == '%' && i + 2 < bytes.length ? Character.digit(bytes[i + 1], 16) : -1;
            int low = high < 0 ? -1 : Character.digit(bytes[i + 2], 16);
            if (low >= 0) i += 2;
            found.put(low < 0 ? bytes[i] : (byte) (high * 16 + low));
        }
        found.flip();
        try {
            return Normalizer.normalize(StandardCharsets.UTF_8.newDecoder().decode(found), Normalizer.Form.NFC);
        } catch (CharacterCodingException error) {
            return null;
        }
    }

    /** A path as routes are compared: dots resolved, and no segment that is empty; null is a segment that is no text. */
    private static List<String> segments(String path) {
        List<String> found = new ArrayList<>();
        String[] parts = path.split("/", -1);
        for (String segment : Arrays.asList(parts).subList(1, Math.max(parts.length, 1))) {
            String dots = segment.replaceAll("(?i)%2e", ".");
            if (dots.equals("..")) {
                if (!found.isEmpty()) found.remove(found.size() - 1);
            } else if (!dots.equals(".")) {
                found.add(segment);
            }
        }
        List<String> texts = new ArrayList<>();
        for (String segment : found) {
            String text = decoded(segment.split(";", 2)[0]);
            if (text == null || !text.isEmpty()) texts.add(text);
        }
        return texts;
    }

    private static String small(String text) {
        String seen = Normalizer.normalize(text, Normalizer.Form.NFKC).replaceAll("[\\xad\\u200b\\u2060\\ufe0e\\ufe0f\\ufeff]", "");
        String plain = seen.replace('\u3002', '.').toLowerCase(Locale.ROOT);
        return Normalizer.normalize(plain, Normalizer.Form.NFKC);
    }

    /** A host in Unicode, in small letters. */
    private static String hostName(String host) {
        String text = decoded(host);
        String plain = small(text == null ? "" : text);
        if (plain.endsWith(".")) plain = plain.substring(0, plain.length() - 1);
        List<String> labels = new ArrayList<>();
        for (String label : plain.split("\\.", -1))
            labels.add(label.startsWith("xn--") ? small(Punycode.decoded(label)) : label);
        return String.join(".", labels);
    }

    private static String host(Map<String, Object> rule, String value) {
        String host = address(value).group(2);
        host = hostName(host.substring(host.lastIndexOf('@') + 1).replaceAll(":[0-9]*\\z", ""));
        for (Object known : Json.list(rule.get("known"))) if (hostName((String) known).equals(host)) return (String) known;
        return OTHER;
    }

    private static String route(Map<String, Object> rule, String value) {
        Matcher address = address(value);
        if (address.group(1) == null && address.group(3).isEmpty()) return OTHER;
        List<String> path = segments(address.group(3));
        for (Object template : Json.list(rule.get("templates")))
            if (segments((String) template).equals(path)) return (String) template;
        for (Object template : Json.list(rule.get("templates")))
            if (matches(segments((String) template), path)) return (String) template;
        return OTHER;
    }

    /** Whether a path is of a template such as /product/:id or /docs/*. */
    private static boolean matches(List<String> template, List<String> path) {
        boolean isOpen = !template.isEmpty() && "*".equals(template.get(template.size() - 1));
        int length = template.size() - (isOpen ? 1 : 0);
        if (path.size() < length || path.size() > length && !isOpen) return false;
        for (int i = 0; i < length; i++)
            if (!template.get(i).startsWith(":") && !template.get(i).equals(path.get(i))) return false;
        return true;
    }

    private static String fileType(Map<String, Object> rule, String value) {
        Matcher whole = ADDRESS.matcher(value);
        String name = value.substring(Math.max(value.lastIndexOf('/'), value.lastIndexOf('\\')) + 1);
        if (whole.matches() && whole.group(1) != null) {
            List<String> path = segments(address(value).group(3));
            name = path.isEmpty() || path.get(path.size() - 1) == null ? "" : path.get(path.size() - 1);
        }
        int dot = name.lastIndexOf('.');
        return dot > 0 ? group(rule, "*" + name.substring(dot), Buckets::folded) : OTHER;
    }
}
