package backport

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"time"

	"github.com/bobbinhq/bobbin/repo"
	"github.com/bobbinhq/bobbin/repo/remote"
	"github.com/bobbinhq/bobbin/repo/testrun"
	"github.com/bobbinhq/bobbin/workflow/button"
	"github.com/bobbinhq/bobbin/workflow/outgoing"
	"github.com/bobbinhq/bobbin/workflow/redact"
	"github.com/bobbinhq/bobbin/workflow/store"
	"github.com/bobbinhq/bobbin/workflow/store/backports"
	"github.com/bobbinhq/bobbin/workflow/turn/catalog"
	"github.com/bobbinhq/bobbin/workflow/turn/folder"
)

// A Porter works what is to be brought to releases. All of its fields are set once, before the first
// job.
type Porter struct {
	Rows         backports.Register
	Repositories []catalog.Repository
	Releases     map[string][]string // patterns of the releases' names, by repository
	Mirrors      *repo.Mirrors
	Checker      *testrun.Checker // nil: nothing can be proven, and nothing is made
	Folders      *folder.Folders  // of the sessions
	Secrets      *redact.Finder
	Signature    string // of the lines
	Log          *slog.Logger

	reached func(point string) error // tests only: an error of it ends the run there, as a kill does; nil: nobody hears
	forgets bool                     // tests only: what was intended is made anew
}

// pulse is how often it is looked whether somebody stopped it: a stop has to act soon.
const pulse = 400 * time.Millisecond

var errStopped = errors.New("the backport was stopped")

// A refusal ends a backport, with the reason for people.
type refusal struct {
	why     string // of the row
	said    string
	details string // behind a button; empty: there is none
}

func (r *refusal) Error() string { return r.why }

// Run works the oldest of the session that waits.
func (p *Porter) Run(ctx context.Context, session string) error {
	row, err := p.Rows.Next(ctx, session)
	if err != nil || row == nil {
		return err
	}
	defer p.Folders.Hold(session)()
	watched, cancel := context.WithCancelCause(ctx)
	done := make(chan struct{})
	go func() { defer close(done); p.watch(watched, *row, cancel) }()
	defer func() { cancel(nil); <-done }()
	err = p.work(watched, *row)
	var refused *refusal
	switch {
	case errors.Is(context.Cause(watched), errStopped):
		return nil
	case errors.As(err, &refused) && ctx.Err() == nil:
		return p.refuse(ctx, *row, *refused)
	}
	return err
}

// watch ends ctx when somebody stopped what nothing was made of yet.
func (p *Porter) watch(ctx context.Context, row backports.Row, cancel context.CancelCauseFunc) {
	tick := time.NewTicker(pulse)
	defer tick.Stop()
	for row.State == backports.Asked {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		now, err := p.Rows.Of(ctx, row.Session)
		if err == nil && slices.ContainsFunc(now, func(r backports.Row) bool { return r.Branch == row.Branch && r.State == backports.Stopped }) {
			cancel(errStopped)
		}
	}
}

// refuse ends the row.
func (p *Porter) refuse(ctx context.Context, row backports.Row, r refusal) error {
	after := row
	after.State, after.Reason = backports.Refused, r.why
	line := outgoing.Line{Agent: p.Signature, Text: p.Secrets.Mask(r.said)}
	if r.details != "" {
		line.Buttons = details(p.Secrets.Mask(r.details))
	}
	_, err := p.Rows.Change(ctx, row, after, store.Lines{line})
	return err
}

func details(text string) []outgoing.Button {
	return []outgoing.Button{{ActionID: button.Details, Label: "Details", Value: store.NewToken(), Means: text}}
}

// GiveUp ends what keeps failing on our side.
func (p *Porter) GiveUp(ctx context.Context, session string) error {
	row, err := p.Rows.Next(ctx, session)
	if err != nil || row == nil {
		return err
	}
	return p.refuse(ctx, *row, refusal{why: "it failed on our side", said: failedText(*row)})
}

func (p *Porter) work(ctx context.Context, row backports.Row) error {
	k, err := p.open(ctx, row)
	if err != nil {
		return err
	}
	if p.forgets {
		row.Onto, k.row.Onto = "", ""
	}
	if row.State == backports.Asked || p.forgets {
		if k.row, err = k.findRelease(); err != nil {
			return err
		}
	}
	defer k.close()
	changes, err := k.lay(ctx)
	if err != nil {
		return err
	}
	if row.State == backports.Asked || p.forgets {
		made, err := k.make(ctx, changes)
		if err != nil {
			return err
		}
		if intended, err := p.Rows.Change(ctx, row, made); err != nil || !intended {
			return err
		}
		k.row = made
	} else if err := k.makeAgain(ctx); err != nil {
		return err
	}
	//crash:backport_intended
	if err := p.reach("intended"); err != nil {
		return err
	}
	return k.publish(ctx)
}

func (p *Porter) reach(point string) error {
	if p.reached == nil {
		return nil
	}
	return p.reached(point)
}

// open opens the mirror with what is new at the remote: the release may have gone on.
func (p *Porter) open(ctx context.Context, row backports.Row) (*port, error) {
	at := slices.IndexFunc(p.Repositories, func(r catalog.Repository) bool { return r.Name == row.Repository })
	switch {
	case at < 0:
		return nil, refused(row, "the configuration names no repository "+row.Repository+" any more")
	case p.Checker == nil:
		return nil, refused(row, "commands are off here, so nothing could be proven")
	}
	k := &port{Porter: p, row: row, repository: p.Repositories[at]}
	var err error
	if k.mirror, err = p.Mirrors.Open(ctx, k.repository.Remote); err == nil {
		err = k.mirror.Fetch(ctx)
	}
	return k, k.unlessRefused(err)
}

// unlessRefused makes a refusal of an error that no further try would mend.
func (k *port) unlessRefused(err error) error {
	var no *remote.Error
	if errors.As(err, &no) && !no.Retry {
		return refused(k.row, strings.TrimSuffix(no.Reason+". "+no.Cure, ". "))
	}
	return err
}
