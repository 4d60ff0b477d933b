package approval

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/intent"
	"github.com/bobbinhq/bobbin/workflow/plaintext"
	"github.com/bobbinhq/bobbin/workflow/store"
	"github.com/bobbinhq/bobbin/workflow/store/backports"
	"github.com/bobbinhq/bobbin/workflow/store/consent"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/judge/permission"
)

// A Backport is a person's request to bring a pushed change to releases.
type Backport struct {
	Releases []string // as the person named them; empty: the message names none
	Commit   string   // pushed commit that the pressed button is for; empty: the request is in words
}

// BackportOf parses the value of a button, which holds a commit, a space and a release.
func BackportOf(means string) Backport {
	commit, release, _ := strings.Cut(means, " ")
	return Backport{Releases: []string{release}, Commit: commit}
}

// Backport judges a request to bring the newest pushed change to releases, each on a separate branch. It
// is judged like an approval, and permits nothing else. A message has to be written below the line that
// announces the push, and a press has to be of a button for that push.
func (ap *Approvals) Backport(
	ctx context.Context, m intent.Message, p workflow.Person, want Backport,
) ([]store.Part, error) {
	push, no, err := ap.pushToBring(ctx, m, p)
	if no != nil || err != nil {
		return no, err
	}
	refused := func(reason, said string) ([]store.Part, error) {
		return ap.Refuse(m, p, workflow.DecideBackport, reason, said), nil
	}
	switch {
	case want.Commit != "" && want.Commit != push.Commit:
		return refused("something newer was pushed",
			"something newer was pushed since. Name the release in words, or press the newest button.")
	case len(want.Releases) == 0:
		return refused("no release is named", "name the release, such as \"backport to release/1.4\".")
	}
	register := backports.Register{Store: ap.Store}
	rows, err := register.Of(ctx, ap.Session().ID)
	if err != nil {
		return nil, err
	}
	f, orders := ap.backportParts(asker{Message: m, Person: p}, want, *push, rows)
	if orders == nil {
		return f, nil
	}
	return ap.agreeBackports(ctx, m, p, f, orders, push.Revision)
}

// agreeBackports returns the parts f of the orders if enough people have asked for each.
func (ap *Approvals) agreeBackports(
	ctx context.Context, m intent.Message, p workflow.Person, f []store.Part, orders []backports.Order,
	revision int,
) ([]store.Part, error) {
	var words []store.Part
	var files []string
	if len(orders) > 0 {
		var err error
		if files, err = ap.pushedFiles(ctx, orders[0].Base, orders[0].Pushed); err != nil {
			return nil, err
		}
	}
	for _, o := range orders {
		e, waits, err := ap.agree(ctx, m, p, question{
			revision: revision, subject: workflow.BackportSubject(o.Branch, o.Pushed),
			permit: workflow.PermitBackport, decide: workflow.DecideBackport, files: files,
			what: "Backport to " + plaintext.OneLine(o.Wanted), reason: o.Wanted,
			button: workflow.Button{
				ActionID: workflow.ButtonBackport, Label: "Backport to " + plaintext.OneLine(o.Wanted),
				Value: store.NewToken(), Means: o.Pushed + " " + o.Wanted,
			},
		})
		switch {
		case err != nil:
			return nil, err
		case waits != nil && len(orders) > 1:
			return ap.Refuse(m, p, workflow.DecideBackport, "several releases",
				"Several people have to agree to a backport here, so please name one release at a time."), nil
		case waits != nil:
			return waits, nil
		}
		words = append(words, e.parts...)
	}
	return append(f, words...), nil
}

// pushToBring returns what the session pushed last, for a person who asks to bring it to another branch, or
// the refusal.
func (ap *Approvals) pushToBring(
	ctx context.Context, m intent.Message, p workflow.Person,
) (push *backports.Push, refusal []store.Part, err error) {
	refused := func(reason, said string) (*backports.Push, []store.Part, error) {
		return nil, ap.Refuse(m, p, workflow.DecideBackport, reason, said), nil
	}
	s := ap.Session()
	register := backports.Register{Store: ap.Store}
	if push, err = register.NewestPush(ctx, s.ID); err != nil {
		return nil, nil, err
	}
	no, may, err := ap.mayDecide(ctx, m, p, pushedRevision(s, push), workflow.DecideBackport)
	if err != nil || !may {
		return nil, no, err
	}
	switch {
	case push == nil:
		return refused("nothing was pushed",
			"nothing was pushed in this thread yet, so there is nothing to bring anywhere.")
	case s.Halted != "":
		return refused("the work is stopped", "the work is stopped. Let it go on first, then ask again.")
	case push.Unproven != "":
		return refused("it is unproven", "nothing was proven of what was pushed ("+push.Unproven+
			"), so nothing could be proven of it on another branch.")
	}
	unread, err := ap.WrittenBeforeShown(ctx, m,
		func() (string, bool, error) { return register.PushTS(ctx, s.ID, *push) })
	switch {
	case err != nil:
		return nil, nil, err
	case unread:
		return refused("written before the push was shown",
			"that was written before I told of the newest push. Please read it, and ask again.")
	}
	if edited, err := ap.refuseEdited(ctx, m, p, workflow.DecideBackport); edited != nil || err != nil {
		return nil, edited, err
	}
	return push, nil, nil
}

// pushedFiles returns the paths that lie between two commits of the session's repository, so that a group
// that has to be among the approvers for one of them is asked. It needs nobody for a repository without such
// groups.
func (ap *Approvals) pushedFiles(ctx context.Context, base, pushed string) (paths []string, err error) {
	r := ap.Catalog.Configured(ap.Session().Repository)
	if len(r.Approvers.Needs) == 0 {
		return nil, nil
	}
	mirror, err := ap.Catalog.Mirrors.Open(ctx, r.Remote)
	if err == nil && !mirror.Commits().Has(pushed) {
		err = mirror.FetchCommit(ctx, pushed)
	}
	for _, ends := range [][2]string{{base, pushed}, {pushed, base}} {
		if err != nil {
			return nil, fmt.Errorf("read what was pushed: %w", err)
		}
		var some []string
		some, err = mirror.Commits().PathsSince(ctx, ends[0], ends[1])
		paths = append(paths, some...)
	}
	slices.Sort(paths)
	return slices.Compact(paths), err
}

// pushedRevision returns the revision of what was pushed last, or the newest one if nothing was pushed.
func pushedRevision(s workflow.Session, push *backports.Push) int {
	if push == nil {
		return s.Revision
	}
	return push.Revision
}

// backportParts returns one order for each release that has none yet for this push, all with one
// permission. rows are the backports that were asked for before.
func (ap *Approvals) backportParts(
	by asker, want Backport, push backports.Push, rows []backports.Row,
) (f []store.Part, orders []backports.Order) {
	m := by.Message
	p := by.Person
	var fresh, standing []string
	for _, name := range want.Releases {
		branch, i := backportBranch(push.Branch, name, rows)
		if i >= 0 && (rows[i].State == backports.Asked || rows[i].State == backports.Intended ||
			rows[i].State == backports.Pushed && rows[i].Pushed == push.Commit) {
			standing = append(standing, fmt.Sprintf("%s was asked for by %s, as `%s`",
				plaintext.OneLine(name), plaintext.OneLine(rows[i].UserName), branch))
			continue
		}
		order := backports.Order{
			Repository: ap.Session().Repository,
			Branch:     branch,
			Wanted:     name,
			Pushed:     push.Commit,
			Base:       push.Base,
			Revision:   push.Revision,
			User:       p.ID,
			UserName:   p.Name,
			Credit:     p.Credit,
			MessageTS:  m.TS,
		}
		fresh = append(fresh, name)
		orders = append(orders, order)
		rows = slices.DeleteFunc(slices.Clone(rows), func(r backports.Row) bool { return r.Branch == branch })
		rows = append(rows, backports.Row{Request: backports.Request(order), State: backports.Asked})
	}
	stands := "The backport to " + strings.Join(standing, ", that to ") + "."
	if len(orders) == 0 {
		return ap.Refuse(m, p, workflow.DecideBackport, "asked for already", stands), nil
	}
	said := fmt.Sprintf("Backport to %s, as %s asked. It gets its own branch and its own proof.",
		plaintext.OneLine(strings.Join(fresh, " and ")), p.Name)
	if len(standing) > 0 {
		said += " " + stands
	}
	f = append(ap.Answer(m, said),
		permission.NewPermission(m.Message, p, workflow.PermitBackport, push.Revision))
	for _, o := range orders {
		f = append(f, o)
	}
	return append(f,
		consent.Decision{
			What:      workflow.DecideBackport,
			Allowed:   true,
			Reason:    strings.Join(fresh, ", "),
			User:      p.ID,
			MessageTS: m.TS,
			Revision:  push.Revision,
		}), orders
}

// backportBranch returns the name of the branch for a backport of branch to release, and the index of the row
// that has that branch, or -1. "1.4", "v1.4" and "release/1.4" give the same name: only the version counts,
// if there is one. The whole name counts if the version's branch is for another release.
func backportBranch(branch, release string, rows []backports.Row) (name string, row int) {
	for _, part := range []string{version(release), strings.ReplaceAll(release, "/", "-")} {
		name = branch + "-backport-" + strings.TrimRight(strings.ToLower(part), ".-")
		row = slices.IndexFunc(rows, func(r backports.Row) bool { return r.Branch == name })
		if row < 0 || rows[row].MayBeTo(release) {
			break
		}
	}
	return name, row
}

// version returns the version at the end of a release's name, or the name's last part if there is none.
func version(release string) string {
	name := release[strings.LastIndexByte(release, '/')+1:]
	if at := strings.IndexAny(name, "0123456789"); at > 0 && !isLetter(name[at-1]) ||
		at == 1 && (name[0] == 'v' || name[0] == 'V') {
		name = name[at:]
	}
	return name
}

func isLetter(c byte) bool { return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' }
