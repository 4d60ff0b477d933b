package testtrial

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"path"
	"regexp"
	"strings"

	"github.com/bobbinhq/bobbin/repo/disk"
)

// maxSource is the size in bytes of the largest source that is copied into a comment.
const maxSource = 1 << 20

// commentOf returns the function that makes a comment of a text, to be put at the end of a file. It returns
// nil for what is neither the source of a known language nor a build file. Files that programs read as data
// have none either: a comment in a template is part of a page.
func commentOf(file string) func(text, source string) (comment string, ok bool) {
	switch base := path.Base(file); base {
	case "Makefile", "makefile", "GNUmakefile", "CMakeLists.txt", "Dockerfile",
		"Cargo.toml", "pyproject.toml", "setup.cfg", "tox.ini":
		return lineComment("#")
	case "go.mod":
		return lineComment("//")
	case "Rakefile", "Gemfile":
		return rubyComment
	}
	switch strings.ToLower(path.Ext(file)) {
	case ".go", ".rs", ".js", ".jsx", ".mjs", ".cjs", ".ts", ".tsx", ".mts", ".cts",
		".java", ".kt", ".kts", ".scala", ".groovy", ".gradle", ".cs", ".swift", ".dart",
		".c", ".h", ".cc", ".cpp", ".cxx", ".hpp":
		return blockComment
	case ".py":
		return pythonComment
	case ".rb", ".rake":
		return rubyComment
	case ".sh", ".bash":
		return shellComment
	case ".ex", ".exs", ".mk":
		return lineComment("#")
	case ".lua", ".hs":
		return lineComment("--")
	}
	return nil
}

// inBlock breaks what would end a block comment, or begin one inside of it.
var inBlock = strings.NewReplacer("/*", "/ *", "*/", "* /")

func blockComment(text, _ string) (string, bool) {
	return "/*\n" + inBlock.Replace(text) + "*/\n", true
}

// pythonComment makes a string that nothing uses. Its lines stay whole, as in a block comment. Alone in a file
// it would be the module's docstring, which a program may read.
func pythonComment(text, source string) (string, bool) {
	for _, quote := range []string{"'''", `"""`} {
		if !strings.Contains(text, quote) && strings.TrimSpace(source) != "" {
			return "r" + quote + "\n" + text + quote + "\n", true
		}
	}
	return lineComment("#")(text, source)
}

func rubyComment(text, source string) (string, bool) {
	inside := strings.ReplaceAll(text, "\n=end", "\n =end")
	return "=begin\n" + inside + "=end\n", !strings.Contains(source, "\n__END__\n")
}

// shellMark ends a text that a shell passes to a command that does nothing.
const shellMark = "END_OF_THE_OTHER_VERSION"

func shellComment(text, _ string) (string, bool) {
	return ": <<'" + shellMark + "'\n" + text + shellMark + "\n", !strings.Contains(text, shellMark)
}

func lineComment(begin string) func(text, source string) (string, bool) {
	return func(text, _ string) (string, bool) {
		var b strings.Builder
		for line := range strings.Lines(text) {
			b.WriteString(begin + " " + strings.TrimRight(line, "\\\n") + "\n")
		}
		return b.String(), true
	}
}

// goPackage matches the line that a Go source cannot be without.
var goPackage = regexp.MustCompile(`(?m)^package \w+`)

// addInert appends the text to a file as a comment, or makes the file with nothing but that comment. It does
// nothing if the file is of no known language, or would then not be what it was.
func addInert(onto *os.Root, file, text string) error {
	comment := commentOf(file)
	if comment == nil || strings.TrimSpace(text) == "" {
		return nil
	}
	source, there, err := readSource(onto, file)
	if err != nil {
		return err
	}
	if !there && path.Ext(file) == ".go" {
		source = goPackage.FindString(text) + "\n"
	}
	if source != "" && !strings.HasSuffix(source, "\n") {
		source += "\n"
	}
	if !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	added, ok := comment(text, source)
	if !ok {
		return nil
	}
	perm := fs.FileMode(0o644)
	if info, err := onto.Lstat(file); err == nil {
		perm = info.Mode().Perm()
	}
	if err := onto.MkdirAll(path.Dir(file), 0o755); err != nil {
		return fmt.Errorf("test trial: add a comment to %s: %w", file, err)
	}
	if err := onto.WriteFile(file, []byte(source+added), perm); err != nil {
		return fmt.Errorf("test trial: add a comment to %s: %w", file, err)
	}
	return nil
}

// readSource returns the text of a plain file. It returns false if there is none, or if it is too large or
// not text.
func readSource(root *os.Root, file string) (string, bool, error) {
	files := disk.PlainFS(root)
	info, err := fs.Lstat(files, file)
	if err != nil || !info.Mode().IsRegular() || info.Size() > maxSource {
		return "", false, nil //nolint:nilerr // a file that cannot be read has no text to compare
	}
	text, err := fs.ReadFile(files, file)
	if err != nil {
		return "", false, fmt.Errorf("test trial: %w", err)
	}
	return string(text), !bytes.ContainsRune(text, 0), nil
}
