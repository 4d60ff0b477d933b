package pictures

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/repo/build"
	"github.com/bobbinhq/bobbin/repo/git"
	"github.com/bobbinhq/bobbin/repo/git/diff"
	"github.com/bobbinhq/bobbin/repo/git/remote"
	"github.com/bobbinhq/bobbin/repo/git/repotest"
	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/repository"
	"github.com/bobbinhq/bobbin/workflow/store"
	"github.com/bobbinhq/bobbin/workflow/store/progress"
	"github.com/bobbinhq/bobbin/workflow/store/storetest"
)

// A scene is a session about a repository whose newest commit changes the style of a page.
type scene struct {
	*Photographer
	t       *testing.T
	turn    *store.Turn
	commits []string
}

var shop = repotest.Files{
	"web/cart.css":   `.pay { color: #000 }`,
	"web/cart.html":  `<link rel="stylesheet" href="cart.css"><p class="pay">Pay</p>`,
	"web/quiet.html": `<link rel="stylesheet" href="cart.css">nothing of it is seen here`,
	"main.go":        "package main\n",
}

func open(t *testing.T, before, after repotest.Files) *scene {
	t.Helper()
	repotest.Browser(t)
	s := &scene{t: t, Photographer: &Photographer{}}
	st := storetest.Open(t)
	s.turn = storetest.BeginTurn(t, st)
	require.NoError(t, s.turn.Record(t.Context(), progress.Task{
		Task: workflow.Task{Number: 1, Category: workflow.CategoryVisual},
	}))
	s.ends(workflow.TaskDone)
	dir := t.TempDir()
	var err error
	s.commits, err = repotest.Origin(filepath.Join(dir, "origin"), before, after)
	require.NoError(t, err)
	mirrors := &git.Mirrors{Dir: filepath.Join(dir, "mirrors"), Log: storetest.Silent}
	t.Cleanup(func() { mirrors.Close() })
	s.Photographer = &Photographer{
		Store:     st,
		Mirrors:   mirrors,
		Processor: 8 * time.Second,
		Signature: "orchestrator",
		Log:       storetest.Silent,
		Repositories: []repository.Repository{{
			Remote: remote.Remote{Name: "shop", URL: filepath.Join(dir, "origin")},
		}},
		Checker: &build.Checker{Caches: build.Caches{
			Sandbox: repotest.OpenSandbox(t),
			Dir:     filepath.Join(dir, "cache"),
			Log:     storetest.Silent,
		}},
	}
	return s
}

// ends sets the state of the session's only task.
func (s *scene) ends(state workflow.TaskState) {
	s.t.Helper()
	require.NoError(s.t,
		s.turn.Record(s.t.Context(), progress.Task{Task: workflow.Task{ID: 1, State: state}}))
}

// take requests pictures of the changed files, takes them, and returns the line that was posted.
func (s *scene) take(changed ...string) string {
	s.t.Helper()
	p := Push{Repository: "shop", Base: s.commits[0], Commit: s.commits[1]}
	for _, c := range changed {
		p.Changes = append(p.Changes, diff.Change{Path: c})
	}
	require.NoError(s.t, s.turn.Record(s.t.Context(), p.Request()))
	require.NoError(s.t, s.Run(s.t.Context(), s.turn.Session().ID))
	return s.newest()
}

func (s *scene) newest() string {
	s.t.Helper()
	lines, err := s.Store.Lines(s.t.Context(), s.turn.Session().ID)
	require.NoError(s.t, err)
	require.NotEmpty(s.t, lines)
	return lines[len(lines)-1].Text
}

func (s *scene) files() (names []string) {
	s.t.Helper()
	rows, err := s.Store.Pool.Query(s.t.Context(),
		`select f->>'name' || ' ' || (f->>'title') from outbox, json_array_elements(files) f
			where files is not null order by outbox.id`)
	require.NoError(s.t, err)
	defer rows.Close()
	for rows.Next() {
		var name string
		require.NoError(s.t, rows.Scan(&name))
		names = append(names, name)
	}
	return names
}

// Each page that uses a changed file is shown before and after. A page that looks the same gets no
// pictures.
func TestPagesBeforeAndAfter(t *testing.T) {
	t.Parallel()
	s := open(t, shop, shop.With(repotest.Files{"web/cart.css": `.pay { color: #000; background: #ff0 }`}))
	require.Equal(t, "`web/cart.html` before and after: 1 place, boxed.\n`web/quiet.html` looks as before.",
		s.take("web/cart.css"))
	require.Equal(t, []string{
		fmt.Sprintf("cart-before.png web/cart.html before (%.7s)", s.commits[0]),
		fmt.Sprintf("cart-after.png web/cart.html after (%.7s)", s.commits[1]),
	}, s.files())
	pages, err := store.NewestPictures(t.Context(), s.Store.DB, s.turn.Session().ID)
	require.NoError(t, err)
	require.Len(t, pages, 1)
	was, found, err := store.FindPicture(t.Context(), s.Store.DB, s.turn.Session().ID,
		pages[0].Request, 1, true)
	require.NoError(t, err)
	require.True(t, found && was.Kind == "png" && len(was.Content) > 0)
	_, found, err = store.FindPicture(t.Context(), s.Store.DB, "another session", pages[0].Request, 1, true)
	require.NoError(t, err)
	require.False(t, found)
}

// Pictures that are requested twice, or ended twice, are posted once. A stopped request posts nothing.
func TestPicturesAreSaidOnce(t *testing.T) {
	t.Parallel()
	s := open(t, shop, shop.With(repotest.Files{"web/cart.css": `.pay { color: #f00 }`}))
	s.Repositories[0].Visual.Pages = []string{"web/cart.html?a=1"}
	said := s.take("web/cart.css")
	require.Contains(t, said, "`web/cart.html?a=1` before and after: 1 place, boxed.")
	id := s.turn.Session().ID
	require.NoError(t, store.EndPictures(t.Context(), s.Store, store.PictureRequest{ID: 1, Session: id}, nil,
		workflow.Line{Agent: "a", Text: "twice"}))
	require.Equal(t, said, s.newest())
	s.take("web/cart.css")
	require.Len(t, s.files(), 2)

	require.NoError(t, s.turn.Record(t.Context(), store.PictureRequest{
		Key:        "push:other",
		Repository: "shop",
		Base:       s.commits[0],
		Commit:     s.commits[1],
	}, store.PicturesStopped{}))
	require.NoError(t, s.Run(t.Context(), id))
	require.Len(t, s.files(), 2)
}

// If there is nothing to show, one line says why, and what would help.
func TestNoPictures(t *testing.T) {
	t.Parallel()
	s := open(t, shop,
		shop.With(repotest.Files{"web/new.html": `<p>fresh`, "main.go": "package main // changed\n"}))
	require.Equal(t, "`web/new.html` is new.", s.take("web/new.html", "main.go"))
	require.Len(t, s.files(), 1)
	for want, change := range map[string]func(s *scene) (changed string){
		"No pictures of before and after: no page in the repository uses what changed, as its files stand " +
			"there. The repository's `visual` in Bobbin's configuration can name a page.": func(
			*scene,
		) string {
			return "main.go"
		},
		"No pictures of before and after: there is no sandbox to show a page in.": func(s *scene) string {
			s.Checker = nil
			return "web/new.html"
		},
		"No picture of `web/gone.html`: there is no such file.": func(s *scene) string {
			s.Repositories[0].Visual.Pages = []string{"web/gone.html"}
			return "web/new.html"
		},
		"No picture of `web/huge.html`: its file is larger than 8 MB.": func(s *scene) string {
			s.Repositories[0].Visual.Pages = []string{"web/huge.html"}
			return "web/new.html"
		},
		"No pictures of before and after: `exit 3` fails at ": func(s *scene) string {
			s.Repositories[0].Visual = repository.Visual{Build: "exit 3", Pages: []string{"web/new.html"}}
			return "web/new.html"
		},
	} {
		s := open(t, shop, shop.With(repotest.Files{
			"web/new.html":  `<p>fresh`,
			"web/huge.html": strings.Repeat(" ", 9<<20),
			"main.go":       "package main // changed\n",
		}))
		changed := change(s)
		require.True(t, strings.HasPrefix(s.take(changed), want), s.newest())
		require.Empty(t, s.files())
	}
	s = open(t, shop, shop.With(repotest.Files{"web/new.html": `<p>fresh`}))
	s.ends(workflow.TaskFailed)
	require.NoError(t, s.turn.Record(t.Context(),
		Push{Repository: "shop", Base: s.commits[0], Commit: s.commits[1]}.Request()))
	asked, err := store.OpenPictureRequest(t.Context(), s.Store.DB, s.turn.Session().ID)
	require.NoError(t, err)
	require.Nil(t, asked, "nobody worked on what people see")

	s.ends(workflow.TaskDone)
	s.Repositories[0].Visual.Off = true
	require.NoError(t, s.turn.Record(t.Context(),
		Push{Repository: "shop", Base: s.commits[0], Commit: s.commits[1]}.Request()))
	require.NoError(t, s.Run(t.Context(), s.turn.Session().ID))
	lines, err := s.Store.Lines(t.Context(), s.turn.Session().ID)
	require.NoError(t, err)
	require.Empty(t, lines)
	asked, err = store.OpenPictureRequest(t.Context(), s.Store.DB, s.turn.Session().ID)
	require.NoError(t, err)
	require.Nil(t, asked)
}

// A page that reads a private file does not get it, so its picture cannot show a secret. The control is
// a file that is not private.
func TestNoPageGetsAPrivateFile(t *testing.T) {
	t.Parallel()
	shows := repotest.Files{}
	for page, file := range map[string]string{"env.html": "/server/.env", "txt.html": "/server/env.txt"} {
		shows[page] = `<body><script>fetch("` + file +
			`").then(r => r.text()).then(t => document.body.append(t))</script>`
	}
	const before, after = "DB_PASSWORD=moss\n", "DB_PASSWORD=fern-covered-basket\n"
	for _, build := range []string{"", "true"} {
		s := open(t, shows.With(repotest.Files{"server/.env": before, "server/env.txt": before}),
			repotest.Files{"server/.env": after, "server/env.txt": after})
		s.Repositories[0].Visual = repository.Visual{Build: build, Pages: []string{"env.html", "txt.html"}}
		require.Equal(t, "`env.html` looks as before.\n`txt.html` before and after: 1 place, boxed.",
			s.take("server/env.txt"))
	}
}

// A command builds the pages of both trees, and only plain files of its output are read.
func TestPagesThatAreBuilt(t *testing.T) {
	t.Parallel()
	built := repotest.Files{
		"in.txt": "<p>old",
		"build.sh": "mkdir out && cat in.txt >out/index.html && ln -s /etc/passwd out/stolen.html && " +
			"mkfifo out/pipe.html",
	}
	s := open(t, built, built.With(repotest.Files{"in.txt": "<p>new, and longer"}))
	s.Repositories[0].Visual = repository.Visual{
		Build: "sh build.sh",
		Pages: []string{"out/index.html", "out/stolen.html", "out/pipe.html"},
	}
	require.Equal(t, "`out/index.html` before and after: 1 place, boxed.\nNo picture of `out/stolen.html`: "+
		"there is no such file.\nNo picture of `out/pipe.html`: there is no such file.", s.take("in.txt"))
}
