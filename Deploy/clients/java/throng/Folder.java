package throng;

import java.io.File;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.LinkedHashMap;
import java.util.Map;

/** A folder with state.json, for one client at a time. */
final class Folder implements AutoCloseable {
    private final File state;
    private final RandomAccessFile held;

    Folder(File path) throws IOException {
        if (!path.isDirectory() && !path.mkdirs()) throw new IOException("The folder can't be made: " + path);
        state = new File(path, "state.json");
        held = new RandomAccessFile(new File(path, "state.json.lock"), "rw");
        FileLock lock;
        try {
            lock = held.getChannel().tryLock();
        } catch (OverlappingFileLockException error) {
            lock = null;
        }
        if (lock == null) {
            held.close();
            throw new IOException("Another client has the folder: give each its own.");
        }
    }

    @Override
    public void close() throws IOException { held.close(); }

    /** What was saved last; nothing where there is none, or it is damaged: the device is another one then, and asks again. */
    Map<String, Object> load() throws IOException {
        if (!state.exists()) return new LinkedHashMap<>();
        return Json.object(new String(Files.readAllBytes(state.toPath()), StandardCharsets.UTF_8));
    }

    /** Saves it whole or not at all, through a loss of power. */
    void save(Map<String, Object> document) throws IOException {
        File fresh = new File(state.getPath() + ".new");
        try (FileOutputStream out = new FileOutputStream(fresh)) {
            if (fresh.toPath().getFileSystem().supportedFileAttributeViews().contains("posix"))
                Files.setPosixFilePermissions(fresh.toPath(), PosixFilePermissions.fromString("rw-------"));
            out.write(Json.write(document).getBytes(StandardCharsets.UTF_8));
            out.getFD().sync();
        }
        Files.move(fresh.toPath(), state.toPath(), StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    }
}
