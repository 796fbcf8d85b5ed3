package throng;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Drives the client for `throng conform java -cp … throng.Conform`: a step a line, as JSON, each answered with ok. */
public final class Conform {
    private double now;
    private Throng client;

    public static void main(String[] arguments) throws IOException {
        Conform driver = new Conform();
        BufferedReader steps = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line; (line = steps.readLine()) != null;) {
            driver.act(Json.object(line));
            System.out.println("ok");
            System.out.flush();
        }
    }

    private void act(Map<String, Object> step) throws IOException {
        now = Json.number(step, "now", now);
        List<String> signals = new ArrayList<>();
        for (Object signal : Json.list(step.get("signals"))) signals.add((String) signal);
        switch (Json.text(step, "do")) {
            case "start":
                client = new Throng.Options(Json.text(step, "url"), Json.text(step, "app"), new File(Json.text(step, "directory")))
                    .signals(signals).clock(() -> now).start();
                break;
            case "consent":
                client.setConsent(Json.text(step, "purpose"), Json.flag(step, "given"), (int) Json.number(step, "version", 1));
                break;
            case "signals": client.setSignals(signals); break;
            case "record": client.record(Json.text(step, "event"), Json.map(step.get("fields"))); break;
            case "send": client.send(); break;
            default:  // The clock only.
        }
    }
}
