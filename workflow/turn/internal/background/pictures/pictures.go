package pictures

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/bobbinhq/bobbin/repo/build"
	"github.com/bobbinhq/bobbin/repo/git"
	"github.com/bobbinhq/bobbin/repo/git/diff"
	"github.com/bobbinhq/bobbin/repo/screenshot"
	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/plaintext"
	"github.com/bobbinhq/bobbin/workflow/redact"
	"github.com/bobbinhq/bobbin/workflow/repository"
	"github.com/bobbinhq/bobbin/workflow/store"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/record/prompt"
)

const (
	maxPages   = 3   // pages that are found; the configuration may name more
	maxChanged = 500 // paths of a change that are stored
)

// A Push is a push that succeeded.
type Push struct {
	Repository   string
	Base, Commit string
	Changes      []diff.Change
}

// Request returns the part that requests the pictures. It writes nothing if no finished task of the
// session was visual.
func (p Push) Request() store.Part {
	q := store.PictureRequest{
		Key:        "push:" + p.Commit,
		Repository: p.Repository,
		Base:       p.Base,
		Commit:     p.Commit,
	}
	for _, c := range p.Changes[:min(len(p.Changes), maxChanged)] {
		q.Changed = append(q.Changed, c.Path)
	}
	return q
}

// A Photographer takes pictures. Its fields are set once, before the first job.
type Photographer struct {
	Store        *store.Store
	Repositories []repository.Repository
	Mirrors      *git.Mirrors
	Checker      *build.Checker // nil: nothing can be run, and there are no pictures
	Processor    time.Duration  // limit on the processor time of one page; zero: the camera's default
	Secrets      *redact.Finder
	Signature    string // the agent that signs the lines
	Log          *slog.Logger
}

// Run takes the pictures of the session's oldest open request, and posts them.
func (p *Photographer) Run(ctx context.Context, session string) error {
	q, err := store.OpenPictureRequest(ctx, p.Store.DB, session)
	if err != nil || q == nil {
		return err
	}
	shoot := shooting{Photographer: p, request: *q}
	if at := slices.IndexFunc(p.Repositories,
		func(r repository.Repository) bool { return r.Name == q.Repository && !r.Visual.Off }); at >= 0 {
		shoot.repository = p.Repositories[at]
		if err := shoot.take(ctx); err != nil {
			return err
		}
	}
	p.Log.Info("took pictures", "session", session, "repository", q.Repository, "pages", len(shoot.pages))
	return store.EndPictures(ctx, p.Store, *q, shoot.pages, shoot.showPictures())
}

// A shooting takes the pictures of one request.
type shooting struct {
	*Photographer
	request    store.PictureRequest
	repository repository.Repository
	pages      []store.PicturedPage
	none       string   // why there are no pictures at all
	captions   []string // one sentence for each page
}

// take takes the pictures, or sets none to the reason why there are none. An error means that the
// machine failed.
func (s *shooting) take(ctx context.Context) error {
	if s.Checker == nil {
		s.none = "there is no sandbox to show a page in"
		return nil
	}
	mirror, err := s.Mirrors.Open(ctx, s.repository.Remote)
	if err != nil {
		return err
	}
	fetched := mirror.Fetch(ctx)
	if !mirror.Commits().Has(s.request.Base) || !mirror.Commits().Has(s.request.Commit) {
		s.Log.Warn("no pictures of what is not here", "commit", s.request.Commit, "err", fetched)
		return fetched
	}
	before, err := s.open(ctx, mirror, s.request.Base)
	if err != nil {
		return err
	}
	defer before.close()
	after, err := s.open(ctx, mirror, s.request.Commit)
	if err != nil {
		return err
	}
	defer after.close()
	if s.none != "" {
		return nil
	}
	list, err := s.choose(ctx, mirror)
	if err != nil {
		return err
	}
	for _, page := range list {
		if err := s.shootPage(ctx, page, before, after); err != nil || s.none != "" {
			return err
		}
	}
	return nil
}

// choose returns the pages to take pictures of.
func (s *shooting) choose(ctx context.Context, m *git.Mirror) ([]string, error) {
	if len(s.repository.Visual.Pages) > 0 {
		return s.repository.Visual.Pages, nil
	}
	files, err := m.Commits().ListPaths(ctx, s.request.Commit, screenshot.IsForeign)
	if err != nil {
		return nil, err
	}
	read := func(path string) ([]byte, error) { return m.Commits().ReadFile(s.request.Commit, path) }
	list := screenshot.Pages(read, files, s.request.Changed, maxPages)
	if len(list) == 0 {
		s.none = "no page in the repository uses what changed, as its files stand there. " +
			"The repository's `visual` in Bobbin's configuration can name a page"
	}
	return list, nil
}

// shootPage takes the pictures of one page before and after the change.
func (s *shooting) shootPage(ctx context.Context, page string, before, after tree) error {
	camera := screenshot.Camera{Sandbox: s.Checker.Caches.Sandbox, Processor: s.Processor}
	name := plaintext.CodeSpan(plaintext.SafeLine(page, 120))
	now, err := camera.Shoot(ctx, after.read, page)
	var unshown *screenshot.NoPictureError
	switch {
	case errors.As(err, &unshown) && unshown.Why == screenshot.NoBrowser:
		s.none = unshown.Why
		return nil
	case errors.As(err, &unshown):
		s.captions = append(s.captions, fmt.Sprintf("No picture of %s: %s.", name, unshown.Why))
		return nil
	case err != nil:
		return err
	}
	was, err := camera.Shoot(ctx, before.read, page)
	fresh := errors.As(err, &unshown) && unshown.Why == screenshot.NoPage
	if err != nil && unshown == nil {
		return err
	}
	marked, places, err := screenshot.Mark(was, now)
	if err != nil {
		return err
	}
	switch {
	case fresh:
		s.captions = append(s.captions, name+" is new.")
	case was == nil:
		s.captions = append(s.captions,
			fmt.Sprintf("%s after the change; no picture from before: %s.", name, unshown.Why))
	case places == 0:
		s.captions = append(s.captions, name+" looks as before.")
		return nil
	default:
		s.captions = append(s.captions,
			fmt.Sprintf("%s before and after: %s, boxed.", name, plaintext.CountNoun(places, "place")))
	}
	s.pages = append(s.pages, store.PicturedPage{
		Path:   page,
		Places: places,
		Before: store.Picture(marked[0]),
		After:  store.Picture(marked[1]),
	})
	return nil
}

// showPictures returns the line that posts the pictures in the thread.
func (s *shooting) showPictures() workflow.Line {
	var text workflow.Text
	text.Vouch(s.Secrets.Mask(s.text()))
	return workflow.Line{Agent: s.Signature, Text: text.String(), Vouched: text.Vouched(), Files: s.files()}
}

// text returns the text of that line.
func (s *shooting) text() string {
	if s.none != "" {
		return "No pictures of before and after: " + s.none + "."
	}
	return strings.Join(s.captions, "\n")
}

// files returns the pictures as files: for each page first the one from before.
func (s *shooting) files() (list []workflow.File) {
	for _, p := range s.pages {
		name := strings.TrimSuffix(path.Base(p.Path), path.Ext(p.Path))
		name, _, _ = strings.Cut(name, ".")
		for _, side := range []struct {
			when, commit string
			store.Picture
		}{{"before", s.request.Base, p.Before}, {"after", s.request.Commit, p.After}} {
			if len(side.Content) == 0 {
				continue
			}
			list = append(list, workflow.File{
				Name: name + "-" + side.when + "." + side.Kind,
				Title: s.Secrets.Mask(fmt.Sprintf("%s %s (%s)", p.Path, side.when,
					prompt.ShortHash(side.commit))),
				Data: side.Content,
			})
		}
	}
	return list
}
