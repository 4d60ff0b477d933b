package worktree

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"github.com/bobbinhq/bobbin/repo/git"
	"github.com/bobbinhq/bobbin/repo/git/remote"
	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/plaintext"
	"github.com/bobbinhq/bobbin/workflow/repository"
	"github.com/bobbinhq/bobbin/workflow/store"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/record/ledger"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/record/prompt"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/workspace/folder"
)

// waitingNotice begins the line that tells a session that it has to wait.
const waitingNotice = "Others are at work"

// acquireSlot asks for a slot, since the number of sessions at work is limited. If the session has to
// wait, the error makes the queue run the job again later, and the thread is told once.
func (t *Trees) acquireSlot(ctx context.Context, r repository.Repository) error {
	announce, err := t.Store.Queue.AcquireSlot(ctx, t.Session().ID, r.Name, t.Seats)
	if announce {
		t.SayOnce(ctx, waitingNotice, waitingNotice+", the most allowed at once. "+
			"I begin as soon as one of them is done, and read what you write meanwhile.")
	}
	return err
}

func (t *Trees) askRepository(ctx context.Context) error {
	if name := t.Session().Repository; name != "" {
		return sayNotConfigured(ctx, t, name)
	}
	if len(t.Catalog.Repositories) == 0 {
		return t.Record(ctx, store.Update{Open: ledger.Rest}, store.Lines(t.ProgramLine("No repository is "+
			"configured yet, so I can look at nothing. My operator adds one under `repositories:`.")))
	}
	names := t.Catalog.Names()
	if len(names) == 0 {
		return t.Record(ctx, store.Update{Open: ledger.Rest}, store.Lines(t.ProgramLine("No repository is "+
			"open to this channel. My operator adds the channel to one, under `channels:`.")))
	}
	question := "Which repository is this about?"
	unknown, nearest, err := t.Catalog.Unknown(ctx)
	if err != nil {
		return err
	}
	if unknown != "" {
		question = fmt.Sprintf("No repository %s is configured for this channel.",
			plaintext.CodeSpan(unknown))
	}
	if len(nearest) > 0 {
		question += " Did you mean repo:" + strings.Join(nearest, " or repo:") + "?"
	}
	return t.Record(ctx,
		store.Update{Open: ledger.Rest},
		store.Lines(t.ProgramLine(question+replyWith(names),
			t.Catalog.ChangeButton("Choose repository…")...)),
	)
}

// mostNames is how many repositories one line names.
const mostNames = 20

// replyWith says how to choose one of the repositories.
func replyWith(names []string) string {
	if len(names) > mostNames {
		return fmt.Sprintf(" Reply with one of the %d, such as repo:%s; the menu finds one by a part of "+
			"its name.", len(names), names[0])
	}
	return " Reply with one of: repo:" + strings.Join(names, ", repo:")
}

// sayNotConfigured tells a thread that the configuration does not name its repository any more. It keeps that
// repository, so no answer would help but the button.
func sayNotConfigured(ctx context.Context, t *Trees, name string) error {
	text := "This thread is about " + name + ", which the configuration does not name any more. " +
		"My operator can put it back under that name; then reply here."
	buttons := t.Catalog.ChangeButton("Choose repository…")
	if buttons != nil {
		text += " Or choose another one."
	}
	return t.Record(ctx, store.Update{Open: ledger.Rest}, store.Lines(t.ProgramLine(text, buttons...)))
}

// sayRemoteFailed tells the thread what is wrong with the repository, and pauses the session. It returns
// errors of the disk, and any error once ctx has ended, unchanged.
func (t *Trees) sayRemoteFailed(ctx context.Context, err error) error {
	if ctx.Err() != nil || folder.DiskMessage(err) != "" {
		return err
	}
	t.Log.Error("repository", "err", err)
	return t.Record(ctx,
		store.Update{Events: []workflow.Event{workflow.EventPause}, Open: ledger.Rest},
		store.Lines(t.ProgramLine("I cannot get at the repository: "+RemoteWords(err)+
			" Reply here when it is fixed, and I try again.")),
	)
}

// RemoteWords says in whole sentences what went wrong with a repository and what to do about it.
func RemoteWords(err error) string {
	var hostile *git.PathError
	var remote *remote.Error
	text := strings.TrimPrefix(prompt.FirstLine(err.Error()), "git: ")
	switch {
	case errors.As(err, &remote):
		text = strings.TrimRight(remote.Reason, ". ") + ". " + remote.Cure
	case errors.As(err, &hostile):
		text = prompt.FirstLine(hostile.Error())
	}
	return strings.TrimRight(text, ". ") + "."
}

// sayFolderMissing reports whether the folder that the work is limited to is missing. If so, it tells
// the thread and pauses the session.
func (t *Trees) sayFolderMissing(ctx context.Context, p *Checkout) (bool, error) {
	folder := p.Folder()
	if folder == "" {
		return false, nil
	}
	if info, err := fs.Stat(p.Copy.FS(), folder); err == nil && info.IsDir() {
		return false, nil
	}
	return true, t.Record(ctx,
		store.Update{Events: []workflow.Event{workflow.EventPause}, Open: ledger.Rest},
		store.Lines(t.ProgramLine(
			fmt.Sprintf("The configuration limits %s to the folder `%s`, and %s has no such folder. "+
				"My operator corrects `scope:` of that repository; reply here then, and I go on.",
				p.Repository.Name, folder, p.BaseBranch()))),
	)
}
