package worktree

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/bobbinhq/bobbin/repo/build/environment"
	"github.com/bobbinhq/bobbin/repo/build/result"
	"github.com/bobbinhq/bobbin/repo/sandbox"
	"github.com/bobbinhq/bobbin/workflow/plaintext"
)

// findServices gives the repository's commands the tools, the services and the variables that its own files
// name at the base commit. People are told of a service that is not installed, or in another version. Agents
// are told what is there.
func (t *Trees) findServices(ctx context.Context, p *Checkout, commit string) {
	found, have, err := p.Checker.Cache.UseEnvironment(ctx, commit, p.Repository.Environment)
	if absent := (*sandbox.Unavailable)(nil); errors.As(err, &absent) {
		t.SayIfNew(ctx, fmt.Sprintf("The image of %s cannot be used, so commands run in the usual one: %v",
			p.displayName(), err))
	} else if err != nil && ctx.Err() == nil {
		t.Log.Warn("services", "err", err)
	}
	for _, note := range found.Notes {
		t.Log.Info("services", "repository", p.Repository.Name, "left out", note)
	}
	for _, i := range have {
		if line := i.Line(); line != "" {
			t.SayIfNew(ctx, line)
		}
	}
	p.fetched.missing = joinLines(toolFacts(found), serviceFacts(have, found.Notes))
	p.fetched.tools = toolLine(found)
}

// toolFacts returns what agents are told of the tools and the packages of the system that the files want.
func toolFacts(found *environment.Environment) string {
	var lines []string
	for _, tool := range found.Tools {
		from := plaintext.CutLine(tool.From, 100)
		switch {
		case tool.Differs:
			lines = append(lines, fmt.Sprintf("%s %s.", from, plaintext.CutLine(tool.String(), 100)))
		case tool.Path != "":
			lines = append(lines, fmt.Sprintf("Commands run %s %s, as %s wants.", tool.Name, tool.Has, from))
		}
	}
	if line := found.PackagesLine(); line != "" {
		lines = append(lines, plaintext.CutLine(line, 300)+".")
	}
	return strings.Join(lines, "\n")
}

// toolLine returns a sentence about tools of another version than the wanted one, for people; empty if there
// are none.
func toolLine(found *environment.Environment) string {
	var parts []string
	for _, tool := range found.Tools {
		if tool.Differs {
			parts = append(parts, fmt.Sprintf("`%s` %s", strings.ReplaceAll(tool.From, "`", "'"),
				plaintext.CutLine(tool.String(), 100)))
		}
	}
	if len(parts) == 0 {
		return ""
	}
	return strings.Join(parts, "; ") + "."
}

// joinSentences returns the sentence with more behind it; without a sentence it is empty.
func joinSentences(sentence, more string) string {
	if sentence == "" {
		return ""
	}
	return strings.TrimSpace(sentence + " " + more)
}

// serviceFacts returns what agents are told of the services of commands.
func serviceFacts(have []environment.Installed, notes []string) string {
	var started, absent []string
	for _, i := range have {
		if i.Has == "" {
			absent = append(absent, i.Kind)
			continue
		}
		started = append(started, fmt.Sprintf("%s %s at 127.0.0.1:%d", i.Kind, i.Has, i.Port))
	}
	var lines []string
	if len(started) > 0 {
		lines = append(lines, "Each command and each test run has its own, empty: "+
			strings.Join(started, ", ")+"; the variables for them are set, and nothing in them stays.")
	}
	if len(absent) > 0 {
		lines = append(lines, "Not installed here, though the tests want it: "+strings.Join(absent, ", ")+".")
	}
	for _, note := range notes {
		lines = append(lines, "Not used: "+plaintext.CutLine(note, 300)+".")
	}
	return strings.Join(lines, "\n")
}

// sayServices tells people of services that did not start for the base's tests.
func (t *Trees) sayServices(ctx context.Context, p *Checkout, base result.Result) {
	for _, line := range base.Services {
		t.SayIfNew(ctx, fmt.Sprintf("When the tests of %s ran: %s. They ran without it.", p.displayName(),
			strings.TrimSuffix(plaintext.CutLine(line, 300), ".")))
	}
}

// joinLines joins the texts that are not empty, a line each.
func joinLines(a, b string) string { return strings.Trim(a+"\n"+b, "\n") }
