package throng;

/** Labels of hosts in Unicode (RFC 3492). java.net.IDN is of 2003, and browsers are not. */
final class Punycode {
    private Punycode() {}

    /** A label that begins with xn--, decoded; itself where it is none. */
    static String decoded(String label) {
        String text = label.substring(4);
        int mark = text.lastIndexOf('-');
        StringBuilder found = new StringBuilder(text.substring(0, Math.max(mark, 0)));
        int sign = 128, place = 0, bias = 72, count = found.length();
        for (int i = mark + 1; i < text.length();) {
            int before = place;
            long weight = 1;
            for (int step = 36;; step += 36) {
                if (i >= text.length()) return label;
                char next = text.charAt(i++);
                int digit = next >= 'a' && next <= 'z' ? next - 'a' : next >= '0' && next <= '9' ? next - '0' + 26 : 36;
                int least = Math.min(Math.max(step - bias, 1), 26);
                long reached = place + digit * weight;
                if (digit > 35 || reached > Integer.MAX_VALUE) return label;
                place = (int) reached;
                if (digit < least) break;
                weight *= 36 - least;
                if (weight > Integer.MAX_VALUE) return label;
            }
            count++;
            bias = adapted(place - before, count, before == 0);
            sign += place / count;
            place %= count;
            if (sign > Character.MAX_CODE_POINT) return label;
            found.insert(found.offsetByCodePoints(0, place), Character.toChars(sign), 0, Character.charCount(sign));
            place++;
        }
        return found.toString();
    }

    private static int adapted(int delta, int count, boolean isFirst) {
        delta = isFirst ? delta / 700 : delta / 2;
        delta += delta / count;
        int steps = 0;
        for (; delta > 455; steps += 36) delta /= 35;
        return steps + 36 * delta / (delta + 38);
    }
}
