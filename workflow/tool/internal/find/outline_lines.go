package find

import (
	"path"
	"regexp"
	"strings"
)

// A language is a func that returns the symbols of a source text.
type language func(src string) []symbol

// languageOf returns the language of a file by its name, or nil if there is no outline for it.
func languageOf(p string) language {
	ext := strings.ToLower(path.Ext(p))
	if ext == ".go" {
		return goSymbols
	}
	patterns, ok := linePatterns[ext]
	if !ok {
		return nil
	}
	return func(src string) []symbol { return lineSymbols(src, patterns) }
}

// declarations decide whether a single line declares something. They know nothing of comments and strings: a
// line too many in an outline does little harm.
type declarations struct {
	is, not *regexp.Regexp // not may be nil
}

// statements matches keywords that look like a method's name before a bracket.
var statements = regexp.MustCompile(`^\s*(if|else|for|foreach|while|switch|catch|return|throw|await|new|` +
	`using|lock|do|try|with|super|sizeof|defined|assert|delete|case|default|yield)\b`)

var (
	javascript = declarations{regexp.MustCompile(
		`^\s*(export\s+)?(default\s+)?(declare\s+)?(abstract\s+)?(async\s+)?(function\b|class\s|` +
			`interface\s|enum\s|namespace\s|type\s+\w+[^=]*=)` +
			`|^(export\s+)?(const|let|var)\s+\w+\s*(:[^=]+)?=\s*(async\s*)?(\(|function\b|\w+\s*=>)` +
			`|^export\s+(const|let|var|default)\s` +
			`|^\s+((static|async|get|set|public|private|protected|readonly|override|` +
			`abstract)\s+)*[#*]?[A-Za-z_$][\w$]*\s*(<[^>()]*>)?\([^;]*\)\s*(:\s*[^{;]+)?\{\s*$` +
			`|^\s*(describe|it|test)(\.\w+)?\(\s*['"` + "`" + `]`), statements}
	python = declarations{
		regexp.MustCompile(`^\s*(async\s+def|def|class)\s|^[A-Z][A-Z0-9_]*\s*(:[^=]+)?=[^=]`), nil,
	}
	rust = declarations{regexp.MustCompile(
		`^\s*(pub(\([^)]*\))?\s+)?(default\s+)?(async\s+|const\s+|unsafe\s+|extern\s+("[^"]*"\s+)?)*(fn|` +
			`struct|enum|trait|impl|mod|type|union|static|const)\b|^\s*(pub\s+)?macro_rules!`), nil}
	java = declarations{regexp.MustCompile(
		`^\s*((public|private|protected|internal|static|final|abstract|sealed|override|partial|open|data|` +
			`inline|suspend|default|synchronized|virtual|async)\s+)*(class|interface|enum|record|struct|` +
			`object|namespace|fun|@interface)\s+[A-Za-z_<]` +
			`|^\s+((public|private|protected|internal|static|final|abstract|override|default|synchronized|` +
			`virtual|async|native)\s+)*(<[^>]+>\s+)?[A-Za-z_][\w.<>\[\],? ` +
			`]*\s+[A-Za-z_]\w*\s*\([^;=]*\)[^;={]*(\{.*)?$` +
			`|^\s+(public|private|protected)\s+[A-Za-z_]\w*\s*\([^;=]*\)?[^;=]*$`), statements}
	ruby = declarations{
		regexp.MustCompile(
			`^\s*(def|class|module)\s|^\s*(describe|context|it)\s+['"]|^[A-Z][A-Z0-9_]*\s*=[^=]`),
		nil,
	}
	clang = declarations{regexp.MustCompile(
		`^#\s*define\s+\w+|^\s*(typedef\s+)?(struct|enum|union|class|namespace)\s+\w[^;]*$|^typedef\b` +
			`|^[A-Za-z_][\w\s*&:<>,~]*[\s*&:~]~?\w+\s*\([^;]*$`), statements}
	php = declarations{
		regexp.MustCompile(`^\s*((public|private|protected|static|final|abstract|readonly)\s+)*(function|` +
			`class|interface|trait|enum)\s+&?\w`),
		nil,
	}
	swift = declarations{
		regexp.MustCompile(`^\s*(@\w+\s+)*((public|private|internal|open|static|final|override|mutating|` +
			`fileprivate)\s+)*(func|class|struct|enum|protocol|extension|actor|init)\b`),
		nil,
	}
	shell = declarations{regexp.MustCompile(`^\s*(function\s+[\w:-]+|[\w:-]+\s*\(\))`), nil}
	sql   = declarations{
		regexp.MustCompile(`(?i)^\s*(create|alter|drop)\s+(or\s+replace\s+)?(unique\s+)?(table|view|` +
			`materialized view|index|function|trigger|type|schema|sequence)\b`),
		nil,
	}
	proto    = declarations{regexp.MustCompile(`^\s*(message|service|enum|rpc|package)\s+\w`), nil}
	markdown = declarations{regexp.MustCompile(`^#{1,6}\s`), nil}
)

var linePatterns = map[string]declarations{
	".js": javascript, ".jsx": javascript, ".mjs": javascript, ".cjs": javascript, ".ts": javascript,
	".tsx": javascript, ".mts": javascript, ".vue": javascript, ".svelte": javascript,
	".py": python, ".pyi": python,
	".rs":   rust,
	".java": java, ".kt": java, ".kts": java, ".cs": java, ".scala": java,
	".rb": ruby, ".rake": ruby,
	".c": clang, ".h": clang, ".cc": clang, ".cpp": clang, ".cxx": clang, ".hpp": clang, ".hh": clang,
	".php": php, ".swift": swift, ".sh": shell, ".bash": shell, ".sql": sql, ".proto": proto, ".md": markdown,
}

// lineSymbols returns the lines that declare something, with their indentation, which shows what belongs to
// what.
func lineSymbols(src string, d declarations) []symbol {
	var symbols []symbol
	n := 0
	for line := range strings.SplitSeq(src, "\n") {
		n++
		if len(line) > 1000 || !d.is.MatchString(line) || d.not != nil && d.not.MatchString(line) {
			continue
		}
		text := strings.TrimRight(line, "\r \t{:")
		symbols = append(symbols, symbol{line: n, text: text})
	}
	return symbols
}
