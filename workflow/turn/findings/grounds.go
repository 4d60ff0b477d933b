package findings

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/diagnosis"
	"github.com/bobbinhq/bobbin/workflow/plaintext"
)

// Grounds are what stands behind a report: people see them behind a button, and agents that
// work from the report are given them with it.
type Grounds struct {
	Hypotheses   []diagnosis.Hypothesis `json:"hypotheses"`
	Evidence     []diagnosis.Evidence   `json:"evidence"`
	Reproduction string                 `json:"reproduction"`
	Example      string                 `json:"example"`
	Siblings     *diagnosis.Siblings    `json:"siblings"`
	Quoted       map[string]string      `json:"-"` // by a source of the evidence, the line that it cites
}

// GroundsOf are those of a root cause or a diagnosis; empty for anything else.
func GroundsOf(r workflow.Report) (g Grounds) {
	if r.Kind == workflow.ReportRootCause || r.Kind == workflow.ReportDiagnosis {
		_ = json.Unmarshal(r.Body, &g) // the program wrote it
	}
	return g
}

// outcomes are a hypothesis's outcome in words.
var outcomes = map[string]string{"confirmed": "confirmed", "ruled_out": "ruled out", "open": "still open"}

// examples are what is said of the reporter's own example.
var examples = map[string]string{"fails": "fails here", "passes": "does not fail here", "cannot_run": "cannot be run here"}

// Text lists the grounds, what was observed before what was inferred.
func (g Grounds) Text() string {
	var lines []string
	if said := examples[g.Example]; said != "" {
		lines = append(lines, "The reporter's own example "+said+".")
	}
	for i, h := range g.Hypotheses {
		if i == 0 {
			lines = append(lines, "Hypotheses:")
		}
		lines = append(lines, fmt.Sprintf("%d. %s: %s (%s)", i+1, plaintext.OneLine(h.Claim), outcomes[h.Outcome], ProbeText(h.Probe)))
	}
	for _, grade := range []string{"observed", "inferred"} {
		for _, e := range g.Evidence {
			if e.Grade != grade {
				continue
			}
			line := "• " + grade + ": " + plaintext.OneLine(e.Claim)
			switch source := strings.TrimSpace(e.Source); {
			case source == "":
			case strings.Contains(source, "\n") && source == strings.TrimSpace(g.Reproduction):
				line += " (the command below)"
			default:
				line += " (" + ProbeText(source) + g.quoted(e.Source) + ")"
			}
			lines = append(lines, line)
		}
	}
	lines = append(lines, siblingLines(g.Siblings)...)
	return strings.Join(lines, "\n")
}

// quoted is the line that a source cites, behind it.
func (g Grounds) quoted(source string) string {
	line := strings.TrimSpace(g.Quoted[source])
	if line == "" {
		return ""
	}
	return ": `" + strings.ReplaceAll(line, "`", "'") + "`"
}

// ShownBy is a command with how it ended: in the line that it is said in, or below it as a
// block where it has lines of its own or backticks, which no line can hold.
func ShownBy(command, ending string) string {
	command = strings.TrimSpace(command)
	if ending != "" {
		ending = " (" + ending + ")"
	}
	if !strings.ContainsAny(command, "\n`") {
		return "`" + command + "`" + ending
	}
	fence := "```"
	for strings.Contains(command, fence) {
		fence += "`"
	}
	return "this command" + ending + "\n" + fence + "\n" + command + "\n" + fence
}

// IsCommand reports whether a source is a command, and no sentence or place.
func IsCommand(source string) bool {
	source = strings.Trim(plaintext.OneLine(source), "`")
	return len(strings.Fields(source)) > 1 && isCode(source)
}

// ProbeText is what was run or read, in one line: a command or a place as code, a sentence as
// it is. Of a command of several lines it is the first, since no line can hold the others.
func ProbeText(probe string) string {
	if first, rest, _ := strings.Cut(strings.TrimSpace(probe), "\n"); strings.TrimSpace(rest) != "" && isCode(first) {
		probe = strings.TrimSpace(first) + " …"
	}
	probe = strings.Trim(plaintext.OneLine(probe), "`")
	if strings.Contains(probe, "`") || !isCode(probe) {
		return probe
	}
	return "`" + probe + "`"
}

// isCode tells a command or a place from a sentence.
func isCode(s string) bool {
	words := strings.Fields(s)
	if len(words) < 2 {
		return true
	}
	return shellMarks.MatchString(s) || slices.Contains(programs, words[0]) || programPath.MatchString(words[0])
}

var (
	shellMarks  = regexp.MustCompile(`\|\|?|&&|[<>$;*]|(?:^| )--?[a-zA-Z]`)
	programPath = regexp.MustCompile(`^(?:\.{0,2}/|[\w./-]+\.(?:sh|py|rb|js|php|pl)$)`)
	programs    = []string{
		"bash", "bundle", "bun", "cargo", "cat", "composer", "curl", "deno", "dotnet", "git", "go", "gradle", "grep", "head", "jest", "jq", "ls", "make", "mvn",
		"node", "npm", "npx", "php", "phpunit", "pnpm", "psql", "pytest", "python", "python3", "rake", "rg", "rspec", "ruby", "sed", "sh", "sqlite3", "tail", "uv", "vitest", "yarn",
	}
)
