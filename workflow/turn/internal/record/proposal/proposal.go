// Package proposal writes the text that goes with a push: the commit's message, and the pull request
// with what it changes, what was reported and proven, and who approved it. All text of people in a pull
// request is quoted, so that it has no effect at the host, and secrets are masked.
package proposal

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/bobbinhq/bobbin/repo/git/diff"
	"github.com/bobbinhq/bobbin/repo/host"
	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/plaintext"
	"github.com/bobbinhq/bobbin/workflow/store/pullrequest"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/record/findings"
)

// PullRequestText holds the content of a pull request.
type PullRequestText struct {
	Title     string // the first line of the commit's message
	Summary   string
	Report    workflow.Report // the report that was approved
	Proof     []string        // what the program itself observed
	Approval  workflow.Approval
	By        string              // who reviewed it, where one person is not enough; empty: one is
	Allowance *workflow.Allowance // nil if the push needed none
	Changes   []diff.Change
	Tickets   []TicketLine
	Mask      func(string) string // masks secrets
	Discretion
}

// masked returns the text without secrets and, if nobody is to be named, without people.
func (p PullRequestText) masked(text string) string { return p.WithoutPeople(p.Mask(text)) }

// Heading returns the pull request's title.
func (p PullRequestText) Heading() string {
	title, _, _ := strings.Cut(p.Title, "\n")
	return host.Title(p.masked(title))
}

// Body returns the pull request's text.
func (p PullRequestText) Body() string {
	var b strings.Builder
	part := func(title, text string) {
		if text = strings.TrimSpace(p.masked(text)); text == "" {
			return
		}
		if title != "" {
			fmt.Fprintf(&b, "### %s\n\n", title)
		}
		b.WriteString(host.Quote(text) + "\n\n")
	}
	part("", withoutHeadings(p.Summary))
	if !p.Neutral {
		part(fmt.Sprintf(pullrequest.ReportHeading+" (revision %d)", p.Report.Revision),
			withoutHeadings(findings.WithoutFooter(p.Report.Text)))
	}
	if len(p.Proof) > 0 {
		part(pullrequest.ProofHeading, "- "+strings.Join(p.Proof, "\n- "))
	}
	if tickets := p.ticketsText(); tickets != "" {
		fmt.Fprintf(&b, "### %s\n\n%s\n\n", pullrequest.TicketsHeading, tickets)
	}
	part("Approvals", p.approvals())
	part("Files", FilesText(p.Changes))
	return host.Body(strings.TrimSpace(b.String()))
}

// approvals says who approved and allowed what, or only that it was approved.
func (p PullRequestText) approvals() string {
	by := ""
	allowedBy := ""
	if !p.Nameless() {
		by = " by " + plaintext.OneLine(p.Approval.Names())
	}
	said := fmt.Sprintf("- Revision %d approved%s", p.Approval.Revision, by)
	if p.Neutral {
		return said
	}
	if p.Approval.Scope != "" {
		said += ", limited to: " + plaintext.OneLine(p.Approval.Scope)
	}
	if p.By != "" && !p.Nameless() {
		said += "\n- " + plaintext.OneLine(p.By)
	}
	if a := p.Allowance; a != nil {
		if !p.Nameless() {
			allowedBy = " by " + plaintext.OneLine(a.UserName)
		}
		said += fmt.Sprintf("\n- Allowed%s: %s", allowedBy, plaintext.OneLine(a.Names))
	}
	return said
}

// ticketsText returns one line for each ticket. Unlike what people and models say, they have their effect.
func (p PullRequestText) ticketsText() string {
	var lines []string
	for _, t := range p.Tickets {
		verb := "For"
		if t.Closes {
			verb = "Fixes"
		}
		line := fmt.Sprintf("- %s %s", verb, t.Name)
		if !p.Nameless() {
			line += fmt.Sprintf(", as %s wrote", host.Quote(p.Mask(plaintext.OneLine(t.By))))
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "\n")
}

// headings match what Markdown makes a heading: a line that begins with number signs,
// and a line of equals signs.
var headings = regexp.MustCompile(`(?m)^([ \t>]*)(#{1,6}(?:[ \t]|$)|=+[ \t]*$)`)

// withoutHeadings returns a text without headings: the headings of a pull request are the program's, and a
// model's words cannot begin a part such as "Approvals".
func withoutHeadings(text string) string { return headings.ReplaceAllString(text, `$1\$2`) }

// Paths returns the paths of the changed files.
func (p PullRequestText) Paths() (paths []string) {
	for _, c := range p.Changes {
		paths = append(paths, c.Path)
	}
	return paths
}

// maxFiles is how many changed files a result names.
const maxFiles = 8

// FilesText returns the paths of the changed files, of which it names at most maxFiles.
func FilesText(changes []diff.Change) string {
	var names []string
	for _, c := range changes[:min(len(changes), maxFiles)] {
		name := plaintext.CodeSpan(plaintext.OneLine(c.Path))
		switch c.Kind {
		case "added":
			name += " (new)"
		case "deleted":
			name += " (deleted)"
		}
		names = append(names, name)
	}
	if more := len(changes) - len(names); more > 0 {
		names = append(names, fmt.Sprintf("%d more", more))
	}
	return strings.Join(names, ", ")
}
