package findings

import (
	"regexp"
	"strings"

	"github.com/bobbinhq/bobbin/workflow/plaintext"
)

// maxCommandName is how many characters of a command its name has.
const maxCommandName = 100

var (
	// heredoc matches the beginning of a here-document, and not a here-string (<<<).
	heredoc = regexp.MustCompile(`(?:^|[^<])<<(-?)\s*(?:'([^'\n]+)'|"([^"\n]+)"|\\?([A-Za-z_]\w*))`)
	// prepares matches a line of a script that only prepares what the others run.
	prepares = regexp.MustCompile(
		`^(?:#.*|set [-+]\S+.*|cd \S+|mkdir .*|export \w+=.*|(?:cat|tee)\b[^|;&]*>.*)$`)
)

// CommandName returns a name for a command in one line, with its code in backticks: the command itself if it
// is short, or what a script runs in the end. Files that a script writes by here-documents are left out.
func CommandName(command string) string {
	command = strings.TrimSpace(command)
	statements := scriptStatements(command)
	last := ""
	for _, s := range statements {
		if !prepares.MatchString(s.line) {
			last = s.name()
		}
	}
	if last == "" && len(statements) > 0 {
		last = statements[len(statements)-1].name()
	}
	code := plaintext.CodeSpan(plaintext.CutLine(plaintext.OneLine(last), maxCommandName))
	switch {
	case last == "":
		return "an empty command"
	case len(statements) == 1 && statements[0].fed:
		return "a script for " + code
	case len(statements) > 1 || statements[0].fed:
		return "a script that ends in " + code
	}
	return code
}

// A statement is a line of a script without the here-documents that follow it.
type statement struct {
	line string
	fed  bool // here-documents follow it
}

// name returns the line without what begins a here-document.
func (s statement) name() string {
	if !s.fed {
		return s.line
	}
	return plaintext.OneLine(heredoc.ReplaceAllString(s.line, " "))
}

// scriptStatements returns the lines of a script that are not empty, without the contents of
// here-documents.
func scriptStatements(script string) (statements []statement) {
	lines := strings.Split(script, "\n")
	for i := 0; i < len(lines); i++ {
		line := strings.TrimSpace(lines[i])
		ends := heredoc.FindAllStringSubmatch(lines[i], -1)
		for _, end := range ends {
			for i++; i < len(lines); i++ {
				text := lines[i]
				if end[1] != "" {
					text = strings.TrimLeft(text, "\t")
				}
				if text == end[2]+end[3]+end[4] {
					break
				}
			}
		}
		if line != "" {
			statements = append(statements, afterWriting(statement{line, len(ends) > 0}))
		}
	}
	return statements
}

// writesFile matches a statement that writes a here-document to a file and then runs something else.
var writesFile = regexp.MustCompile(`^(?:cat|tee)\b[^|;&]*<<[^|;&]*(?:&&|;)\s*(.+)$`)

// afterWriting returns what a statement does behind a file that it writes.
func afterWriting(s statement) statement {
	if m := writesFile.FindStringSubmatch(s.line); m != nil && s.fed {
		return statement{line: m[1]}
	}
	return s
}
