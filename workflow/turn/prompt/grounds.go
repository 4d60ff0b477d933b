package prompt

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/plaintext"
)

// Grounds are what stands behind a report: people see them behind a button, and agents that
// work from the report are given them with it.
type Grounds struct {
	Hypotheses   []workflow.Hypothesis `json:"hypotheses"`
	Evidence     []workflow.Evidence   `json:"evidence"`
	Reproduction string                `json:"reproduction"`
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

// Text lists the grounds, what was observed before what was inferred.
func (g Grounds) Text() string {
	var lines []string
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
			if strings.TrimSpace(e.Source) != "" {
				line += " (" + ProbeText(e.Source) + ")"
			}
			lines = append(lines, line)
		}
	}
	return strings.Join(lines, "\n")
}

// ProbeText is what was run or read, in one line: a command or a place as code, a sentence as
// it is.
func ProbeText(probe string) string {
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
