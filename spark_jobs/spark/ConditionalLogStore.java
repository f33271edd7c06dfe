package lagoon;

import io.delta.storage.HadoopFileSystemLogStore;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.FileAlreadyExistsException;
import java.util.Arrays;
import java.util.Iterator;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.FSDataOutputStreamBuilder;
import org.apache.hadoop.fs.Path;

/**
 * Delta's log in an S3 store: the store itself refuses a commit whose number another process has taken meanwhile
 * (`If-None-Match: *`), so Delta checks for conflicts and tries the next number. With Delta's own store for S3 the second of
 * two processes replaces the commit of the first. Compiled by Janino, which Spark ships: no generics of its own, no lambdas.
 */
public class ConditionalLogStore extends HadoopFileSystemLogStore {
    /** Until when this process may commit, in System.nanoTime(): the end of its lease of the lake. */
    public static final String UNTIL = "lagoon.lease.until";

    public ConditionalLogStore(Configuration hadoopConf) {
        super(hadoopConf);
    }

    public void write(Path path, Iterator actions, Boolean overwrite, Configuration hadoopConf) throws IOException {
        ByteArrayOutputStream lines = new ByteArrayOutputStream();
        while (actions.hasNext()) {
            lines.write((actions.next() + "\n").getBytes("UTF-8"));
        }
        byte[] content = lines.toByteArray();
        requireLease(path);
        FileSystem files = path.getFileSystem(hadoopConf);
        FSDataOutputStreamBuilder create = files.createFile(path);
        create.overwrite(overwrite.booleanValue());
        create.recursive();
        if (!overwrite.booleanValue()) {
            create.must("fs.option.create.conditional.overwrite", true);
        }
        try {
            OutputStream out = (OutputStream) create.build();
            try {
                out.write(content);
            } finally {
                out.close();
            }
        } catch (IOException error) {
            if (overwrite.booleanValue() || !exists(error)) {
                throw error;
            }
            // A request whose answer was lost is sent again, and then refused because of itself.
            if (!Arrays.equals(content, read(files, path))) {
                throw new FileAlreadyExistsException(path.toString());
            }
        }
    }

    public Boolean isPartialWriteVisible(Path path, Configuration hadoopConf) {
        return Boolean.FALSE;
    }

    private static void requireLease(Path path) throws IOException {
        String until = System.getProperty(UNTIL);
        if (until != null && System.nanoTime() - Long.parseLong(until) > 0) {
            throw new IOException("the lease of the lake has ended, so " + path + " is not written");
        }
    }

    private static boolean exists(Throwable error) {
        for (Throwable cause = error; cause != null; cause = cause.getCause()) {
            String text = String.valueOf(cause);
            if (cause instanceof org.apache.hadoop.fs.FileAlreadyExistsException || text.contains("Status Code: 412")
                || text.contains("Status Code: 409")) {
                return true;
            }
        }
        return false;
    }

    private static byte[] read(FileSystem files, Path path) throws IOException {
        InputStream in = files.open(path);
        try {
            ByteArrayOutputStream out = new ByteArrayOutputStream();
            byte[] buffer = new byte[8192];
            for (int length = in.read(buffer); length >= 0; length = in.read(buffer)) {
                out.write(buffer, 0, length);
            }
            return out.toByteArray();
        } finally {
            in.close();
        }
    }
}
