package tickets

import (
	"context"
	"fmt"
	"strings"

	"github.com/bobbinhq/bobbin/repo/host"
	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/store/pullrequest"
	"github.com/bobbinhq/bobbin/workflow/store/ticket"
)

// text returns what is sent: the row's text with a link to the thread and, of a comment, the pull request. It
// is masked once more, since the secrets may have changed since the row was written.
func (f *Filer) text(ctx context.Context, row ticket.Row) (string, error) {
	body := host.Body(row.Body)
	if row.IsComment() {
		pull, err := f.pull(ctx, row)
		if err != nil {
			return "", err
		}
		body += pull
	}
	session, err := f.Rows.Store.Session(ctx, row.Session)
	if err != nil {
		return "", err
	}
	by := ""
	if row.UserName != "" {
		by = ", as " + host.Quote(row.UserName) + " asked"
	}
	if row.IsComment() {
		by = ""
	}
	if row.IsReview() {
		by = strings.Replace(by, " says", " asked", 1)
	}
	hidden, err := f.hidesThread(ctx, row)
	if err != nil {
		return "", err
	}
	if f.ThreadURL != nil && !hidden {
		body += fmt.Sprintf("\n\nFrom a thread in Slack%s: %s", by, f.ThreadURL(session.Thread))
	}
	return f.Secrets.Mask(strings.TrimSpace(body)), nil
}

// hidesThread reports whether nobody is named, and the thread is not linked: the repository names no people,
// or it is a comment on a push that was to have nothing of the thread.
func (f *Filer) hidesThread(ctx context.Context, row ticket.Row) (bool, error) {
	if r := f.repositoryOf(row.Repository); r != nil && r.Anonymous {
		return true, nil
	}
	chosen, err := f.Rows.Store.ChosenDisclosure(ctx, row.Session, row.Repository)
	return row.IsComment() && chosen != nil && chosen.Choice == workflow.DisclosureNeutral, err
}

// pull returns the pull request with the change, in a line, or an empty string if there is none.
func (f *Filer) pull(ctx context.Context, row ticket.Row) (string, error) {
	pull, err := pullrequest.Register{Store: f.Rows.Store}.Of(ctx, row.Session)
	if err != nil || pull == nil || pull.URL == "" {
		return "", err
	}
	noun := host.WordsOf("").Noun
	if r := f.repositoryOf(row.Repository); r != nil {
		noun = r.Pulls.Words().Noun
	}
	return fmt.Sprintf("\n\nThe %s: %s", noun, pull.URL), nil
}
