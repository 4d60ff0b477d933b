package backport

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"github.com/bobbinhq/bobbin/repo/git/remote"
	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/failpoint"
	"github.com/bobbinhq/bobbin/workflow/repository"
	"github.com/bobbinhq/bobbin/workflow/store"
	"github.com/bobbinhq/bobbin/workflow/store/backports"
)

// pulse is the interval at which watch looks for a stop in the database. It is short, since a stop has
// to take effect soon.
const pulse = 400 * time.Millisecond

var errStopped = errors.New("the backport was stopped")

// Run works the oldest backport of the session that waits, if there is one. A refusal is recorded with
// its line in the thread, and is no error. Run returns nil if the backport was stopped meanwhile.
func (p *Porter) Run(ctx context.Context, session string) error {
	row, err := p.Rows.Next(ctx, session)
	if err != nil || row == nil {
		return err
	}
	defer p.Folders.Pin(session)()
	watched, cancel := context.WithCancelCause(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		p.watch(watched, *row, cancel)
	}()
	defer func() {
		cancel(nil)
		<-done
	}()
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

// watch cancels ctx with errStopped when the row was stopped. It watches only a row in the state Asked:
// a stop does not end a row whose commit is made.
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
		if err == nil && slices.ContainsFunc(now,
			func(r backports.Row) bool { return r.Branch == row.Branch && r.State == backports.Stopped }) {
			cancel(errStopped)
		}
	}
}

// refuse ends the row as refused, with the reason, and posts the line that says so. A commit that was
// intended may have arrived before the program died: the remote says so, and then it is recorded as pushed.
func (p *Porter) refuse(ctx context.Context, row backports.Row, r refusal) error {
	if row.State == backports.Intended && !p.forgets {
		arrived, known, err := p.arrived(ctx, row)
		switch {
		case err != nil:
			return err
		case arrived:
			return p.recordPushed(ctx, row)
		case !known:
			r = refusal{why: r.why + "; it may have been pushed", said: unknownText(row, r.why)}
		}
	}
	after := row
	after.State = backports.Refused
	after.Reason = r.why
	line := workflow.Line{Agent: p.Signature, Text: p.Secrets.Mask(r.said), Vouched: []int{0}}
	if r.details != "" {
		line.Buttons = details(p.Secrets.Mask(r.details))
	}
	_, err := p.Rows.Change(ctx, row, after, store.Lines{line})
	return err
}

// arrived reports whether the branch of a row has its commit at the remote. known is false if the remote
// cannot be asked.
func (p *Porter) arrived(ctx context.Context, row backports.Row) (arrived, known bool, err error) {
	at := slices.IndexFunc(p.Repositories,
		func(r repository.Repository) bool { return r.Name == row.Repository })
	if at < 0 {
		return false, false, nil
	}
	mirror, err := p.Mirrors.Open(ctx, p.Repositories[at].Remote)
	if err == nil {
		arrived, err = mirror.HasPushed(ctx, row.Target(), row.Commit)
	}
	var failed *remote.Error
	if errors.As(err, &failed) && ctx.Err() == nil {
		return false, false, nil
	}
	return arrived, err == nil, err
}

// recordPushed records the push of a row, and posts its line.
func (p *Porter) recordPushed(ctx context.Context, row backports.Row) error {
	after := row
	after.State = backports.Pushed
	line := workflow.Line{Agent: p.Signature, Text: row.Told.Text, Vouched: row.Told.Vouched}
	if row.Told.Details != "" {
		line.Buttons = details(row.Told.Details)
	}
	parts := []store.Part{store.Lines{line}}
	if row.Told.Pull != nil {
		parts = append([]store.Part{*row.Told.Pull}, parts...)
	}
	_, err := p.Rows.Change(ctx, row, after, parts...)
	return err
}

// GiveUp ends the session's oldest waiting backport as refused, after its job failed too often on our
// side.
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
	changes, err := k.mergeChange(ctx)
	if err != nil {
		return err
	}
	made := row.State == backports.Intended && !p.forgets
	if made {
		if made, err = k.makeAgain(ctx); err != nil {
			return err
		}
	}
	if !made {
		if err := k.learnSecrets(ctx); err != nil {
			return err
		}
		if err := k.tellDemands(ctx, row); err != nil {
			return err
		}
		made, err := k.proveAndCommit(ctx, changes)
		if err != nil {
			return err
		}
		if intended, err := p.Rows.Change(ctx, row, made); err != nil || !intended {
			return err
		}
		k.row = made
	}
	failpoint.Crash("backport_intended")
	if err := p.reach("intended"); err != nil {
		return err
	}
	return k.publish(ctx)
}

// open opens the repository's mirror and fetches from the remote, since the release may have new
// commits. It returns a refusal if the repository is no longer configured, or if commands are off.
func (p *Porter) open(ctx context.Context, row backports.Row) (*backportRun, error) {
	at := slices.IndexFunc(p.Repositories,
		func(r repository.Repository) bool { return r.Name == row.Repository })
	switch {
	case at < 0:
		return nil, refused(row, "the configuration names no repository "+row.Repository+" any more")
	case p.Checker == nil:
		return nil, refused(row, "commands are off here, so nothing could be proven")
	}
	k := &backportRun{Porter: p, row: row, repository: p.Repositories[at]}
	s, err := p.Rows.Store.Session(ctx, row.Session)
	if err != nil {
		return nil, err
	}
	k.configuredBase = k.repository.Base
	k.repository.Base = cmp.Or(s.BaseBranch, k.repository.Base)
	if k.mirror, err = p.Mirrors.Open(ctx, k.repository.Remote); err == nil {
		err = k.mirror.Fetch(ctx)
	}
	return k, unlessRefused(row, err)
}
