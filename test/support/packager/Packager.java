// Writes packages.json and categories.json of a tree to a folder, as the packager of the platform does, with its library:
//   javac -cp gson-2.2.4.jar Packager.java && java -cp gson-2.2.4.jar:. Packager TREE OUT
// The digests in test/e2e/hub/hub-build.e2e.ts are of what it writes for packager-tree.mjs (com.google.code.gson:gson:2.2.4).

import com.google.gson.Gson;
import com.google.gson.GsonBuilder;
import java.io.File;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.FileInputStream;
import java.io.Reader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

public final class Packager {
  private static final class License {
    String name;
    String url;
  }

  private static final class Action {
    String type;
    String label;
  }

  private static final class Specification {
    String description, label, author, org, cdapVersion, license, paidLink;
    License licenseInfo;
    long created;
    Boolean beta, preview;
    Set<String> categories;
    List<Action> actions;
  }

  private static final class Entry {
    String name, version, description, label, author, org, cdapVersion, license;
    License licenseInfo;
    long created;
    Boolean beta;
    Set<String> categories;
    Boolean paid;
    String paidLink;
  }

  private static final class Category {
    String name;
    boolean hasIcon;
  }

  private static File[] foldersIn(File parent) {
    File[] folders = parent.listFiles(File::isDirectory);
    Arrays.sort(folders, Comparator.comparing(File::getName));
    return folders;
  }

  private static Entry entryOf(File folder) throws IOException {
    try (Reader reader =
        new InputStreamReader(new FileInputStream(new File(folder, "spec.json")), StandardCharsets.UTF_8)) {
      Specification from = new Gson().fromJson(reader, Specification.class);
      Entry entry = new Entry();
      entry.name = folder.getParentFile().getName();
      entry.version = folder.getName();
      entry.description = from.description;
      entry.label = from.label;
      entry.author = from.author;
      entry.org = from.org;
      entry.cdapVersion = from.cdapVersion;
      entry.license = from.license;
      entry.licenseInfo = from.licenseInfo;
      entry.created = from.created;
      entry.beta = Boolean.TRUE.equals(from.beta) || Boolean.TRUE.equals(from.preview);
      entry.categories = from.categories;
      entry.paid = from.paidLink != null && !from.paidLink.isEmpty();
      entry.paidLink = from.paidLink;
      return entry;
    }
  }

  private static void write(File file, Object value) throws IOException {
    String text = new GsonBuilder().setPrettyPrinting().create().toJson(value) + "\n";
    Files.write(file.toPath(), text.getBytes(StandardCharsets.UTF_8));
  }

  public static void main(String[] arguments) throws IOException {
    File tree = new File(arguments[0]);
    List<Entry> entries = new ArrayList<>();
    Set<String> names = new TreeSet<>();
    for (File name : foldersIn(new File(tree, "packages")))
      for (File version : foldersIn(name)) entries.add(entryOf(version));
    for (Entry entry : entries) names.addAll(entry.categories);
    entries.sort(Comparator.comparing(entry -> entry.label.toLowerCase()));
    List<Category> categories = new ArrayList<>();
    for (String name : names) {
      Category category = new Category();
      category.name = name;
      category.hasIcon = new File(tree, "categories/" + name + "/icon.png").isFile();
      categories.add(category);
    }
    write(new File(arguments[1], "packages.json"), entries);
    write(new File(arguments[1], "categories.json"), categories);
  }
}
