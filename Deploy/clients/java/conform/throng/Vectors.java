package throng;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Paths;
import java.util.List;
import java.util.Map;

/** Says whether the client does what Deploy/conform/vectors.json says: `java -cp … throng.Vectors FILE`. */
public final class Vectors {
    private static int wrong, count;

    public static void main(String[] arguments) throws IOException {
        byte[] bytes = Files.readAllBytes(Paths.get(arguments[0]));
        Map<String, Object> all = Json.object(new String(bytes, StandardCharsets.UTF_8));
        for (Map<String, Object> each : Json.maps(all.get("buckets"))) {
            Map<String, Object> rule = Json.map(each.get("rule"));
            List<Object> labels = Json.list(each.get("labels"));
            for (Map<String, Object> known : Json.maps(each.get("values"))) {
                String found = Buckets.bucket(rule, labels, known.get("value"));
                check(known, found, known.get("label"));
                check(found, Buckets.bucket(rule, labels, found), found);
            }
        }
        for (Map<String, Object> each : Json.maps(all.get("identifiers"))) {
            long window = (long) Json.number(each, "window", 0);
            check(each, Wire.identifier(Json.text(each, "secret"), Json.text(each, "purpose"), window, ""), each.get("identifier"));
        }
        System.out.println(count + " values, " + wrong + " elsewhere");
        System.exit(wrong == 0 && count > 600 ? 0 : 1);
    }

    private static void check(Object what, Object found, Object label) {
        count++;
        if (label.equals(found)) return;
        wrong++;
        System.out.println(what + " lands in " + found + ", not in " + label);
    }
}
