package pullrequests

import (
	"context"
	"errors"
	"fmt"

	"github.com/bobbinhq/bobbin/repo/git/remote"
	"github.com/bobbinhq/bobbin/repo/host"
	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/failpoint"
	"github.com/bobbinhq/bobbin/workflow/store"
	"github.com/bobbinhq/bobbin/workflow/store/pullrequest"
)

// The bot's text of a pull request is between these marks, which the host's page does not show. What
// people write before or after them is kept.
const (
	beginText = "<!-- bobbin begins: written anew with each push -->"
	endText   = "<!-- bobbin ends -->"
)

// text returns the bot's text for a pull request, with links to the others of its thread and to the thread.
func (f *Follower) text(ctx context.Context, row pullrequest.Row, others together) (string, error) {
	body := host.Body(row.Body) + others.text()
	links, err := f.linksThread(ctx, row)
	if err != nil {
		return "", err
	}
	if f.ThreadURL != nil && links {
		session, err := f.Rows.Store.Session(ctx, row.Session)
		if err != nil {
			return "", err
		}
		body += "\n\n[The thread](" + f.ThreadURL(session.Thread) + ")"
	}
	return body, nil
}

// linksThread reports whether the text may have a link to the thread: the repository names people, and nobody
// decided to leave the thread's words out.
func (f *Follower) linksThread(ctx context.Context, row pullrequest.Row) (bool, error) {
	if r := f.repositoryOf(row.Repository); r != nil && r.Anonymous {
		return false, nil
	}
	chosen, err := f.Rows.Store.ChosenDisclosure(ctx, row.Session, row.Repository)
	return chosen == nil || chosen.Choice != workflow.DisclosureNeutral, err
}

// opening returns the text that a pull request is opened with: the bot's text between the marks, in the
// repository's template if it has one.
func opening(row pullrequest.Row, body string) string {
	if row.Template != "" {
		return fill(row.Template, body)
	}
	return between(mainPart, body)
}

// renewed returns the text there with ours in place of the bot's earlier text. ok is false if the marks
// are no longer in it.
func renewed(there, ours string) (text string, ok bool) {
	there, rest := renewPlaces(there, ours)
	return replaceBetween(there, beginText, endText, between(mainPart, rest))
}

// reword updates the text of the pull request at the host after another push, or when another repository of
// the thread got a pull request. Doing it twice changes
// nothing. A text without the bot's marks is left alone, and the thread is told so.
func (f *Follower) reword(
	ctx context.Context, row pullrequest.Row, others together, there string, at host.Host,
) (pullrequest.Row, error) {
	ours, err := f.text(ctx, row, others)
	if err != nil {
		return row, err
	}
	after := row
	after.Worded = others.wording(row.Head)
	var said []store.Part
	text, ok := renewed(there, ours)
	switch {
	case !ok:
		said = append(said, f.line(fmt.Sprintf("Somebody wrote a text of their own for %s. It stays, "+
			"and does not tell of what was pushed now.", f.name(row))))
	case text != there:
		err = at.Reword(ctx, row.Number, text)
	}
	failpoint.Crash("pull_request_reworded")
	var refused *remote.Error
	if errors.As(err, &refused) && !refused.Retry {
		said = append(said, f.line(fmt.Sprintf("The text of %s could not be renewed: %s. %s.", f.name(row),
			refused.Reason, refused.Cure)))
		err = nil
	}
	if err != nil {
		return row, err
	}
	return after, f.Rows.Change(ctx, row, after, said...)
}
