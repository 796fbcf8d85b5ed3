package throng;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.HttpURLConnection;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.time.temporal.ChronoUnit;
import java.util.Locale;
import java.util.Map;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/** What the wire protocol says of times, identifiers and requests. */
final class Wire {
    private Wire() {}

    private static final int LONGEST_ANSWER = 4 << 20;
    private static final SecureRandom RANDOM = new SecureRandom();

    /** What came back: a status, what its headers say, a body. */
    static final class Answer {
        final int status;
        final String date, retryAfter;
        final Map<String, Object> body;

        Answer(int status, String date, String retryAfter, String body) {
            this.status = status;
            this.date = date;
            this.retryAfter = retryAfter;
            this.body = Json.object(body);
        }
    }

    /** One request, without redirects: a network that leads elsewhere is no daemon, and gets nothing. */
    static Answer ask(String method, String url, String body) throws IOException {
        HttpURLConnection line = (HttpURLConnection) URI.create(url).toURL().openConnection();
        line.setRequestMethod(method);
        line.setInstanceFollowRedirects(false);
        line.setUseCaches(false);
        line.setConnectTimeout(30_000);
        line.setReadTimeout(30_000);
        // The default names the system, and on Android the device.
        line.setRequestProperty("User-Agent", "throng");
        line.setRequestProperty("Accept", "application/json");
        if (body != null) {
            byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
            line.setDoOutput(true);
            line.setRequestProperty("Content-Type", "application/json");
            // So that nothing is sent again that this client does not know of.
            line.setFixedLengthStreamingMode(bytes.length);
            try (OutputStream out = line.getOutputStream()) {
                out.write(bytes);
            }
        }
        int status = line.getResponseCode();
        String found;
        try (InputStream in = status < 400 ? line.getInputStream() : line.getErrorStream()) {
            found = in == null ? "" : read(in, line.getContentLength());
        }
        return new Answer(status, line.getHeaderField("Date"), line.getHeaderField("Retry-After"), found);
    }

    private static String read(InputStream in, int length) throws IOException {
        ByteArrayOutputStream found = new ByteArrayOutputStream();
        byte[] piece = new byte[8192];
        for (int count; found.size() < LONGEST_ANSWER && (count = in.read(piece)) >= 0;) found.write(piece, 0, count);
        // What ends too early is no answer.
        if (found.size() < length) throw new IOException("The answer ended too early.");
        return new String(found.toByteArray(), StandardCharsets.UTF_8);
    }

    // Identifiers

    /** Random bytes in hexadecimal digits. */
    static String random(int bytes) {
        byte[] found = new byte[bytes];
        RANDOM.nextBytes(found);
        return hex(found, bytes);
    }

    private static String hex(byte[] bytes, int count) {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < count; i++) text.append(String.format("%02x", bytes[i]));
        return text.toString();
    }

    /** The identifier of a device for a purpose and a window: without the secret, two of them are two random numbers. */
    static String identifier(String secret, String purpose, long window, String mark) {
        byte[] key = new byte[secret.length() / 2];
        for (int i = 0; i < key.length; i++) key[i] = (byte) Integer.parseInt(secret.substring(2 * i, 2 * i + 2), 16);
        try {
            Mac code = Mac.getInstance("HmacSHA256");
            code.init(new SecretKeySpec(key, "HmacSHA256"));
            String text = "identifier\u001f" + purpose + "\u001f" + window + mark;
            return hex(code.doFinal(text.getBytes(StandardCharsets.UTF_8)), 16);
        } catch (GeneralSecurityException error) {
            throw new IllegalStateException("Every system has HMAC-SHA-256.", error);
        }
    }

    /** What the address of a batch ends with, so that a balancer before several daemons can save them a hop. */
    static String slotQuery(String identifier) {
        if (identifier.isEmpty()) return "";
        try {
            byte[] hash = MessageDigest.getInstance("SHA-256").digest(identifier.getBytes(StandardCharsets.UTF_8));
            return "?slot=" + (hash[0] & 0xff);
        } catch (GeneralSecurityException error) {
            throw new IllegalStateException("Every system has SHA-256.", error);
        }
    }

    // Times, in unix seconds

    /** The quarter of an hour that holds an instant, in RFC 3339: a period is never cut by one, in any time zone. */
    static String quarter(double at) {
        return Instant.ofEpochSecond((long) Math.floor(at / 900) * 900).truncatedTo(ChronoUnit.SECONDS).toString();
    }

    static double instant(String quarter) { return Instant.parse(quarter).getEpochSecond(); }

    /** The instant of an HTTP date; NaN for none. */
    static double date(String text) {
        try {
            return text == null ? Double.NaN
                : ZonedDateTime.parse(text, DateTimeFormatter.RFC_1123_DATE_TIME).toEpochSecond();
        } catch (java.time.format.DateTimeParseException error) {
            return Double.NaN;
        }
    }

    /** The hour, day, week or month that holds an instant, by the clocks of a time zone. */
    static String period(String kind, double at, String zone) {
        ZonedDateTime moment = Instant.ofEpochSecond((long) at).atZone(zone.isEmpty() ? ZoneOffset.UTC : ZoneId.of(zone));
        String shape = kind.equals("hour") ? "yyyy-MM-dd'T'HHxx" : kind.equals("week") ? "YYYY-'W'ww"
            : kind.equals("month") ? "yyyy-MM" : "yyyy-MM-dd";
        // Weeks of Germany are those of ISO 8601.
        return DateTimeFormatter.ofPattern(shape, Locale.GERMANY).format(moment);
    }
}
