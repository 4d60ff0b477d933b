package findings

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/plaintext"
)

// Grounds holds what a report rests on. People see it behind a button, and agents that work from the
// report get it with the report.
type Grounds struct {
	Cause        string                `json:"cause"`      // of a root cause
	RootCause    string                `json:"root_cause"` // of a diagnosis
	Hypotheses   []workflow.Hypothesis `json:"hypotheses"`
	Evidence     []workflow.Evidence   `json:"evidence"`
	Reproduction string                `json:"reproduction"`
	Example      string                `json:"example"`
	Siblings     *workflow.Siblings    `json:"siblings"`
	Remains      string                `json:"remains"`
	Quoted       map[string]string     `json:"-"` // the cited line of code, by the source of the evidence
}

// GroundsOf returns the grounds of a root cause, a diagnosis or a review, and empty grounds for any other
// report.
func GroundsOf(r workflow.Report) (g Grounds) {
	switch r.Kind {
	case workflow.ReportRootCause, workflow.ReportDiagnosis:
		_ = json.Unmarshal(r.Body, &g) // the program wrote the body, so it is valid
	case workflow.ReportReview:
		var review workflow.PullReview
		_ = json.Unmarshal(r.Body, &review)
		g.Evidence = review.Evidence()
	}
	return g
}

// outcomes holds the outcomes of a hypothesis in words.
var outcomes = map[string]string{"confirmed": "confirmed", "ruled_out": "ruled out", "open": "still open"}

// examples holds what is said about the reporter's own example.
var examples = map[string]string{
	"fails":      "fails here",
	"passes":     "does not fail here",
	"cannot_run": "cannot be run here",
}

// Text lists the grounds. What was observed comes before what people reported, and what was inferred last.
func (g Grounds) Text() string {
	var lines []string
	if said := examples[g.Example]; said != "" {
		lines = append(lines, "The reporter's own example "+said+".")
	}
	for i, h := range g.Hypotheses {
		if i == 0 {
			lines = append(lines, "Hypotheses:")
		}
		lines = append(lines, fmt.Sprintf("%d. %s: %s (%s)", i+1, plaintext.OneLine(h.Claim),
			outcomes[h.Outcome], ProbeText(h.Probe)))
	}
	for _, grade := range []string{
		workflow.GradeObserved, workflow.GradeReported, workflow.GradeInferred,
	} {
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

// quoted returns the line of code that a source cites, to be put after the source, or an empty string.
func (g Grounds) quoted(source string) string {
	line := strings.TrimSpace(g.Quoted[source])
	if line == "" {
		return ""
	}
	return ": " + plaintext.CodeSpan(line)
}

// CommandWithEnding returns a command with how it ended: in the same line, or as a code block below it if the
// command has several lines or backticks.
func CommandWithEnding(command, ending string) string {
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

// IsCommand reports whether a source is a command, and not a sentence or a place.
func IsCommand(source string) bool {
	source = strings.Trim(plaintext.OneLine(source), "`")
	return len(strings.Fields(source)) > 1 && isCode(source)
}

// ProbeText returns what was run or read, in one line: a command or a place as code, a sentence
// unchanged. A command of several lines has its CommandName.
func ProbeText(probe string) string {
	if first, rest, _ := strings.Cut(strings.TrimSpace(probe),
		"\n"); strings.TrimSpace(rest) != "" && isCode(first) {
		return CommandName(probe)
	}
	probe = strings.Trim(plaintext.OneLine(probe), "`")
	if describedRun.MatchString(probe) {
		return probe
	}
	if strings.Contains(probe, "`") || !isCode(probe) {
		return probe
	}
	return "`" + probe + "`"
}

// isCode reports whether s is a command or a place, and not a sentence.
func isCode(s string) bool {
	words := strings.Fields(s)
	if len(words) < 2 {
		return true
	}
	return shellMarks.MatchString(s) || slices.Contains(programs, words[0]) ||
		programPath.MatchString(words[0])
}

// describedRun matches a source in which the program has said what was run: "run 7 (…)".
var describedRun = regexp.MustCompile(`(?i)^(?:(?:the )?output of )?run \d+ \(`)

var (
	shellMarks  = regexp.MustCompile(`\|\|?|&&|[<>$;*]|(?:^| )--?[a-zA-Z]`)
	programPath = regexp.MustCompile(`^(?:\.{0,2}/|[\w./-]+\.(?:sh|py|rb|js|php|pl)$)`)
	programs    = []string{
		"bash", "bundle", "bun", "cargo", "cat", "composer", "curl", "deno", "dotnet", "git", "go", "gradle",
		"grep", "head", "jest", "jq", "ls", "make", "mvn", "node", "npm", "npx", "php", "phpunit", "pnpm",
		"psql", "pytest", "python", "python3", "rake", "rg", "rspec", "ruby", "sed", "sh", "sqlite3",
		"tail", "uv", "vitest", "yarn",
	}
)
