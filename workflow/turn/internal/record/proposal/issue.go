package proposal

import (
	"fmt"
	"strings"

	"github.com/bobbinhq/bobbin/repo/host"
	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/plaintext"
)

// IssueBody returns the text of an issue with a report, what it rests on and how it is reproduced.
func IssueBody(revision int, report string, mask func(string) string) string {
	text := strings.ReplaceAll(strings.TrimSpace(mask(report)), "\n• ", "\n- ")
	return host.Body(fmt.Sprintf("### Report (revision %d)\n\n%s", revision,
		host.Quote(withoutHeadings(text))))
}

// A Reported is what a person or an app wrote.
type Reported struct{ Name, Text string }

// ReportedBody returns the text of an issue with what was written, before anything was found out.
func ReportedBody(all []Reported, mask func(string) string) string {
	var b strings.Builder
	b.WriteString("### Reported\n\nNothing was found out yet. This is what was written:\n")
	for _, r := range all {
		name := plaintext.OneLine(r.Name)
		if name != "" {
			name = host.Quote(mask(name)) + ":\n"
		}
		text := strings.TrimSpace(withoutHeadings(mask(plaintext.UnifyLineEnds(r.Text))))
		b.WriteString("\n" + name + "> " + strings.ReplaceAll(host.Quote(text), "\n", "\n> ") + "\n")
	}
	return host.Body(strings.TrimSpace(b.String()))
}

// ResultText returns the comment on a ticket that tells what was pushed for it. The link to the pull request
// and that to the thread are added when it is sent.
func ResultText(repository, branch, commit, title string, mask func(string) string) string {
	title, _, _ = strings.Cut(strings.TrimSpace(title), "\n")
	return fmt.Sprintf("Pushed for this: %s\n\nBranch %s of %s, at %s.", host.Title(mask(title)), branch,
		repository, commit)
}

// ReviewBody returns the text of a review on a pull request, with all findings.
func ReviewBody(r workflow.PullReview, mask func(string) string) string {
	text := host.Quote(mask(r.Summary)) + "\n"
	for i, f := range r.Findings {
		text += fmt.Sprintf("\n%d. **%s** %s: %s", i+1, f.Weight, plaintext.CodeSpan(mask(f.At)),
			host.Quote(mask(plaintext.OneLine(f.Problem))))
		if f.Change != "" {
			text += " → " + host.Quote(mask(plaintext.OneLine(f.Change)))
		}
	}
	if len(r.Findings) == 0 {
		text += "\nNothing was found."
	}
	return host.Body(text + "\n\nLooked at: " + host.Quote(mask(plaintext.OneLine(r.Looked))))
}
