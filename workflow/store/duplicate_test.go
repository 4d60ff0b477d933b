package store_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/workflow/store"
	"github.com/bobbinhq/bobbin/workflow/store/storetest"
)

// A problem is one problem and what one or several people reported of it.
type problem struct {
	name string
	told []string
}

// readProblems reads testdata/reports: after a heading, each line is a report,
// except that a line that begins with "goroutine " belongs to the report before it.
func readProblems(t *testing.T) (list []problem) {
	t.Helper()
	text, err := os.ReadFile("testdata/reports")
	require.NoError(t, err)
	for _, part := range strings.Split(string(text), "\n== ")[1:] {
		head, body, _ := strings.Cut(part, "\n")
		p := problem{name: head}
		for _, line := range strings.Split(strings.TrimSpace(body), "\n") {
			if strings.HasPrefix(line, "goroutine ") {
				p.told[len(p.told)-1] += "\n" + line
				continue
			}
			p.told = append(p.told, line)
		}
		list = append(list, p)
	}
	return list
}

// tell stores a report about the repository shop in a new session, and returns the session.
func tell(t *testing.T, s *store.Store, id, text string) string {
	t.Helper()
	_, err := s.Pool.Exec(t.Context(),
		`insert into sessions (id, team, channel, thread_ts, repository) values ($1, 'T1', 'C1', $1, 'shop')`,
		id)
	require.NoError(t, err)
	turn, err := s.Begin(t.Context(), id, store.NoSettling)
	require.NoError(t, err)
	require.NoError(t, turn.Record(t.Context(), store.ReportText{Repository: "shop", Text: text}))
	return id
}

// measure finds the duplicates of each report among all others, and returns precision and recall.
func measure(t *testing.T, s *store.Store) (precision, recall float64) {
	t.Helper()
	problems := readProblems(t)
	of := map[string]int{}
	texts := map[string]string{}
	for i, p := range problems {
		for n, text := range p.told {
			id := tell(t, s, fmt.Sprintf("p%02d-%d", i, n), text)
			of[id] = i
			texts[id] = text
		}
	}
	right, wrong, missed := 0, 0, 0
	for id, text := range texts {
		found, err := store.FindDuplicates(t.Context(), s.DB, id, "shop", text)
		require.NoError(t, err)
		hit := false
		for _, f := range found {
			if of[f.Session] == of[id] {
				right = right + 1
				hit = true
				continue
			}
			wrong++
			t.Logf("%.2f wrong: %s\n          and: %s", f.Score, text, texts[f.Session])
		}
		if !hit && len(problems[of[id]].told) > 1 {
			missed++
			t.Logf("missed: %s", text)
		}
	}
	precision = float64(right) / float64(max(right+wrong, 1))
	recall = float64(right) / float64(right+missed)
	t.Logf("precision %.2f, recall %.2f (%d right, %d wrong, %d missed)", precision, recall,
		right, wrong, missed)
	return precision, recall
}

// Likely duplicates are found, and unrelated reports have none: with trigrams, and by words alone.
func TestTwinsAreFound(t *testing.T) {
	t.Parallel()
	for _, letters := range []bool{true, false} {
		t.Run(fmt.Sprintf("trigrams %v", letters), func(t *testing.T) {
			t.Parallel()
			s := storetest.Open(t)
			if !letters {
				_, err := s.Pool.Exec(t.Context(), `drop extension if exists pg_trgm`)
				require.NoError(t, err)
			}
			precision, recall := measure(t, s)
			require.GreaterOrEqual(t, precision, 0.95)
			require.GreaterOrEqual(t, recall, 0.8)
		})
	}
}
