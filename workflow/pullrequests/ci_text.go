package pullrequests

import (
	"fmt"
	"strings"

	"github.com/bobbinhq/bobbin/repo/host"
	"github.com/bobbinhq/bobbin/workflow/plaintext"
	"github.com/bobbinhq/bobbin/workflow/store/ciproof"
)

// resultText returns what the thread is told of the end of a proof by CI.
func resultText(row ciproof.Row, r ruling, all []host.Check) string {
	commit := short(row.Commit)
	switch r.state {
	case ciproof.Failed:
		return fmt.Sprintf("CI fails: %s, at %s. Nothing is proven.", linked(r.checks.failed, all), commit)
	case ciproof.Passed:
		text := fmt.Sprintf("Proven by CI: %s passed at %s: %s.",
			plaintext.CountNoun(len(r.checks.passed), "check"), commit, linked(r.checks.passed, all))
		if len(r.checks.idle) > 0 {
			text += " Not counted: " + names(r.checks.idle) + "."
		}
		if len(r.red) > 0 {
			return text + fmt.Sprintf(" Red on %s (%s) by a branch of the new tests alone: %s.", row.Base,
				short(row.BaseCommit), names(r.red))
		}
		return text + " Not shown: " + plaintext.OneLine(r.reason) + "."
	}
	text := fmt.Sprintf("Not proven by CI at %s: %s.", commit, plaintext.OneLine(r.reason))
	if len(r.checks.passed)+len(r.checks.failed)+len(r.checks.cancelled)+len(r.checks.pending) == 0 {
		text += fmt.Sprintf(" Look whether CI runs for pull requests, or for branches such as `%s`.",
			row.Branch)
	}
	return text + " What was pushed stays as it is, unproven."
}

// heldText returns what the thread is told of checks of subject that wait for a person.
func heldText(subject string, at host.Terms, waiting []string, all []host.Check) string {
	verb := "waits"
	if len(waiting) > 1 {
		verb = "wait"
	}
	return fmt.Sprintf("CI of %s has not run: %s %s at %s until somebody allows it there. I cannot press "+
		"that button; somebody with the right to do so can.", subject, linked(waiting, all), verb, at.Host)
}

// linked returns the names of checks, each as a link to its page if that is known.
func linked(list []string, all []host.Check) string {
	var texts []string
	for _, name := range list {
		text := strings.NewReplacer("[", "(", "]", ")").Replace(name)
		for _, c := range all {
			if c.URL != "" && plaintext.SafeLine(c.Name, 80) == name {
				text = "[" + text + "](" + c.URL + ")"
				break
			}
		}
		texts = append(texts, text)
	}
	return names(texts)
}

func short(commit string) string { return commit[:min(len(commit), 7)] }
