package lessons_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/workflow/store"
	"github.com/bobbinhq/bobbin/workflow/store/consent"
	"github.com/bobbinhq/bobbin/workflow/store/internal/record"
	"github.com/bobbinhq/bobbin/workflow/store/lessons"
	"github.com/bobbinhq/bobbin/workflow/store/progress"
	"github.com/bobbinhq/bobbin/workflow/store/storetest"
)

func texts(list []lessons.Lesson) (out []string) {
	for _, l := range list {
		out = append(out, l.Repository+" "+l.Text)
	}
	return out
}

func TestWhatWasLearnedIsKept(t *testing.T) {
	t.Parallel()
	s := storetest.Open(t)
	turn := storetest.BeginTurn(t, s)
	keep := func(parts ...store.Part) error { return turn.Record(t.Context(), parts...) }
	of := func(repository, folder string) []lessons.Lesson {
		t.Helper()
		list, err := lessons.Of(t.Context(), s.DB, repository, folder)
		require.NoError(t, err)
		return list
	}
	require.NoError(t,
		keep(progress.TestCommand{Repository: "shop", Command: "go test ./...", Source: "named by deep"},
			lessons.Seen{
				Repository: "shop",
				Key:        lessons.KeyTest,
				Text:       "go test ./...",
				Source:     "3 of 3 passed",
			}))
	require.NoError(t, keep(lessons.Noted{Repository: "shop", Text: "cents\x00", Person: "U1"}))
	require.ErrorIs(t, keep(lessons.Noted{Repository: "shop", Text: "cents\x00", Person: "U2"}),
		record.ErrStale, "it is known")
	require.NoError(t,
		keep(lessons.Noted{Repository: "site", Folder: "docs", Text: strings.Repeat("x", 400), Person: "U1"}))
	require.Equal(t,
		[]string{"shop go test ./...", "shop cents", "site " + strings.Repeat("x", lessons.MaxText)},
		texts(of("", "")))
	require.Len(t, of("site", "docs"), 1)
	require.Empty(t, of("site", "other"), "a lesson of another folder")
	shop := of("shop", "")
	require.Equal(t, turn.Session().ID, shop[1].Session)
	require.Equal(t, turn.Session().Thread.TS, shop[1].ThreadTS)
	require.Empty(t, shop[0].Person, "the program saw it")

	// What the program sees replaces what it saw before; a member's note stays.
	require.NoError(t, keep(lessons.Seen{
		Repository: "shop",
		Key:        lessons.KeyTest,
		Text:       "go test ./cart",
		Source:     "1 of 1 passed",
	}))
	require.Equal(t, []string{"shop go test ./cart", "shop cents"}, texts(of("shop", "")))
	require.ErrorIs(t, keep(lessons.Forgotten{ID: shop[1].ID, Repository: "site"}), record.ErrStale,
		"of another repository")
	require.NoError(t, keep(lessons.Forgotten{ID: shop[0].ID, Repository: "shop"}))
	known, err := s.TestCommand(t.Context(), "shop", "")
	require.NoError(t, err)
	require.Empty(t, known.Command, "it is found out anew")
	require.NoError(t, keep(lessons.Seen{Repository: "shop", Key: lessons.KeyStart}), "nothing to take away")

	for n := range lessons.Most {
		err = keep(lessons.Noted{Repository: "shop", Text: strings.Repeat("n", n+1), Person: "U1"})
	}
	require.ErrorIs(t, err, record.ErrStale, "there are as many as are kept")
	require.Len(t, of("shop", ""), lessons.Most)
}

// A correction outside of a thread is stored once, replaces only the text that its
// author read, and is in the audit of the session where the lesson was learned.
func TestALessonIsCorrected(t *testing.T) {
	t.Parallel()
	s := storetest.Open(t)
	turn := storetest.BeginTurn(t, s)
	require.NoError(t, turn.Record(t.Context(),
		progress.TestCommand{Repository: "shop", Command: "go test ./...", Source: "named by deep"},
		lessons.Seen{
			Repository: "shop",
			Key:        lessons.KeyTest,
			Text:       "go test ./...",
			Source:     "3 of 3 passed",
		},
		lessons.Noted{Repository: "shop", Text: "cents", Person: "U1"}))
	all := func() []lessons.Lesson {
		t.Helper()
		list, err := lessons.Of(t.Context(), s.DB, "shop", "")
		require.NoError(t, err)
		return list
	}
	command := all()[0]
	note := all()[1]
	require.NotEmpty(t, note.Requester)
	correct := func(l lessons.Lesson, text string) error {
		return lessons.Correct(t.Context(), s.DB,
			lessons.Correction{ID: l.ID, Was: l.Text, Text: text, Person: "U2", Where: "said at home"})
	}
	require.NoError(t, correct(note, "whole\x00 cents"))
	require.NoError(t, correct(note, "whole cents"), "it is so already")
	require.ErrorIs(t, correct(note, "euros"), lessons.ErrChanged)
	require.ErrorIs(t, correct(note, ""), lessons.ErrChanged)
	require.ErrorIs(t, correct(command, "whole cents"), lessons.ErrKnown)
	now := all()[1]
	require.Equal(t, []string{"whole cents", "U2", "said at home", turn.Session().ID},
		[]string{now.Text, now.Person, now.Source, now.Session})
	require.Equal(t, note.ID, now.ID)

	require.NoError(t, correct(command, "run make test"))
	known, err := s.TestCommand(t.Context(), "shop", "")
	require.NoError(t, err)
	require.Empty(t, known.Command, "it is found out anew")
	require.NoError(t, correct(all()[0], ""))
	require.ErrorIs(t, correct(command, "again"), lessons.ErrNone)
	require.Equal(t, []string{"shop whole cents"}, texts(all()))

	decided, err := s.Decisions(t.Context(), turn.Session().ID)
	require.NoError(t, err)
	var said []string
	for _, d := range decided {
		require.Equal(t, "U2", d.User)
		said = append(said, string(d.What)+" "+d.Reason)
	}
	require.Equal(t, []string{
		`lesson Of shop, in the place of "cents": whole cents (said at home)`,
		`lesson Of shop, in the place of "go test ./...": run make test (said at home)`,
		`lesson Forgotten about shop: run make test (said at home)`,
	}, said)
	holds, err := consent.VerifyAudit(t.Context(), s.DB, "")
	require.NoError(t, err)
	require.Nil(t, holds.Flaw)
}
