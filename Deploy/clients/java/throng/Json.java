package throng;

import java.text.ParseException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** JSON (RFC 8259) as maps, lists, strings, Long, Double, Boolean and null. */
final class Json {
    private final String text;
    private int place;

    private Json(String text) { this.text = text; }

    /** Reads one whole document. */
    static Object read(String text) throws ParseException {
        Json reader = new Json(text);
        Object found = reader.value(0);
        reader.blank();
        if (reader.place < text.length()) throw reader.malformed();
        return found;
    }

    /** Reads an object; an empty one where the text is none. */
    static Map<String, Object> object(String text) {
        try {
            return map(read(text));
        } catch (ParseException error) {
            return new LinkedHashMap<>();
        }
    }

    private ParseException malformed() { return new ParseException("no JSON", place); }

    private void blank() {
        while (place < text.length() && " \t\r\n".indexOf(text.charAt(place)) >= 0) place++;
    }

    private boolean take(char sign) {
        blank();
        if (place >= text.length() || text.charAt(place) != sign) return false;
        place++;
        return true;
    }

    private void need(char sign) throws ParseException {
        if (!take(sign)) throw malformed();
    }

    private Object value(int depth) throws ParseException {
        blank();
        if (depth > 64 || place >= text.length()) throw malformed();
        switch (text.charAt(place)) {
            case '{':
                place++;
                Map<String, Object> members = new LinkedHashMap<>();
                if (take('}')) return members;
                do {
                    blank();
                    String name = string();
                    need(':');
                    members.put(name, value(depth + 1));
                } while (take(','));
                need('}');
                return members;
            case '[':
                place++;
                List<Object> elements = new ArrayList<>();
                if (take(']')) return elements;
                do elements.add(value(depth + 1)); while (take(','));
                need(']');
                return elements;
            case '"': return string();
            case 't': return word("true", true);
            case 'f': return word("false", false);
            case 'n': return word("null", null);
            default: return number();
        }
    }

    private Object word(String word, Object value) throws ParseException {
        if (!text.startsWith(word, place)) throw malformed();
        place += word.length();
        return value;
    }

    private Object number() throws ParseException {
        int start = place;
        while (place < text.length() && "+-.eE0123456789".indexOf(text.charAt(place)) >= 0) place++;
        String found = text.substring(start, place);
        try {
            if (found.matches("-?\\d{1,18}")) return Long.parseLong(found);
            return Double.parseDouble(found);
        } catch (NumberFormatException error) {
            throw malformed();
        }
    }

    private String string() throws ParseException {
        need('"');
        StringBuilder found = new StringBuilder();
        while (place < text.length()) {
            char sign = text.charAt(place++);
            if (sign == '"') return found.toString();
            if (sign != '\\') {
                found.append(sign);
                continue;
            }
            if (place >= text.length()) throw malformed();
            char escape = text.charAt(place++);
            int known = "bfnrt".indexOf(escape);
            if (escape == 'u') {
                if (place + 4 > text.length()) throw malformed();
                try {
                    found.append((char) Integer.parseInt(text.substring(place, place + 4), 16));
                } catch (NumberFormatException error) {
                    throw malformed();
                }
                place += 4;
            } else if (known >= 0 || "\"\\/".indexOf(escape) >= 0) {
                found.append(known < 0 ? escape : "\b\f\n\r\t".charAt(known));
            } else {
                throw malformed();
            }
        }
        throw malformed();
    }

    /** Writes a value; a number that JSON can't have is null. */
    static String write(Object value) {
        StringBuilder text = new StringBuilder();
        write(value, text);
        return text.toString();
    }

    private static void write(Object value, StringBuilder text) {
        String comma = "";
        if (value instanceof Map) {
            text.append('{');
            for (Map.Entry<?, ?> member : ((Map<?, ?>) value).entrySet()) {
                text.append(comma);
                quote((String) member.getKey(), text);
                text.append(':');
                write(member.getValue(), text);
                comma = ",";
            }
            text.append('}');
        } else if (value instanceof Iterable) {
            text.append('[');
            for (Object element : (Iterable<?>) value) {
                text.append(comma);
                write(element, text);
                comma = ",";
            }
            text.append(']');
        } else if (value instanceof String) {
            quote((String) value, text);
        } else if (value instanceof Double || value instanceof Float) {
            double number = ((Number) value).doubleValue();
            boolean isWhole = number == Math.rint(number) && Math.abs(number) < 1e15;
            text.append(isWhole ? Long.toString((long) number) : number - number == 0 ? Double.toString(number) : "null");
        } else {
            text.append(value);
        }
    }

    private static void quote(String value, StringBuilder text) {
        text.append('"');
        for (int i = 0; i < value.length(); i++) {
            char sign = value.charAt(i);
            if (sign == '"' || sign == '\\') text.append('\\').append(sign);
            // Half a surrogate pair stays apart from real text, and a control character is none.
            else if (sign < ' ' || Character.isSurrogate(sign)) text.append(String.format("\\u%04x", (int) sign));
            else text.append(sign);
        }
        text.append('"');
    }

    // What a document has, where it has it.

    @SuppressWarnings("unchecked")
    static Map<String, Object> map(Object value) {
        return value instanceof Map ? (Map<String, Object>) value : new LinkedHashMap<>();
    }

    @SuppressWarnings("unchecked")
    static List<Object> list(Object value) { return value instanceof List ? (List<Object>) value : new ArrayList<>(); }

    static List<Map<String, Object>> maps(Object value) {
        List<Map<String, Object>> found = new ArrayList<>();
        for (Object each : list(value)) found.add(map(each));
        return found;
    }

    /** The member of an object that is an object; made where there is none. */
    static Map<String, Object> map(Map<String, Object> of, String name) {
        if (!(of.get(name) instanceof Map)) of.put(name, new LinkedHashMap<String, Object>());
        return map(of.get(name));
    }

    /** The member of an object that is a list; made where there is none. */
    static List<Object> list(Map<String, Object> of, String name) {
        if (!(of.get(name) instanceof List)) of.put(name, new ArrayList<>());
        return list(of.get(name));
    }

    static String text(Map<String, Object> of, String name) {
        return of.get(name) instanceof String ? (String) of.get(name) : "";
    }

    static double number(Map<String, Object> of, String name, double otherwise) {
        return of.get(name) instanceof Number ? ((Number) of.get(name)).doubleValue() : otherwise;
    }

    static boolean flag(Map<String, Object> of, String name) { return Boolean.TRUE.equals(of.get(name)); }
}
