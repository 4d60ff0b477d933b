package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"
)

const (
	storyFolder = "testdata/script"
	workflowDoc = "../../docs/engineering/workflows.md"
	ownTable    = "Beyond" // table of rows that the specification does not have
)

// A storyHeader is what the comment at the top of a story says.
type storyHeader struct {
	file  string   // name below storyFolder
	rows  []string // the rows that it shows, each as "Table: row"
	shows string   // the first sentence of its comment
}

// TestEveryRowHasItsStory checks that each row of the specification, in testdata/rows.txt, has a story;
// stories name their rows in lines "# row: Table: row" at their top. It also checks that
// docs/engineering/workflows.md matches both. UPDATE_GOLDEN=1 writes that file.
func TestEveryRowHasItsStory(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("testdata/rows.txt")
	require.NoError(t, err)
	rows := strings.Split(strings.TrimSpace(string(text)), "\n")
	tales := readTales(t)
	want := workflowPage(rows, tales)
	if os.Getenv("UPDATE_GOLDEN") != "" {
		require.NoError(t, os.WriteFile(workflowDoc, []byte(want), 0o644))
	}
	require.Empty(t, strings.Join(rowFaults(rows, tales), "\n"))
	got, err := os.ReadFile(workflowDoc)
	require.NoError(t, err)
	require.Equal(t, want, string(got), "docs/engineering/workflows.md is generated: "+
		"UPDATE_GOLDEN=1 go test ./cmd/bobbin -run TestEveryRowHasItsStory")
}

func readTales(t *testing.T) (tales []storyHeader) {
	files, err := filepath.Glob(storyFolder + "/*.txtar")
	require.NoError(t, err)
	for _, name := range files {
		story, err := txtar.ParseFile(name)
		require.NoError(t, err)
		tales = append(tales, readTale(filepath.Base(name), string(story.Comment)))
	}
	return tales
}

var sentence = regexp.MustCompile(`^.*?[.!?](?:\s|$)`)

func readTale(file, script string) storyHeader {
	told := storyHeader{file: file}
	var comment []string
	for line := range strings.Lines(script) {
		said, ok := strings.CutPrefix(line, "#")
		if !ok {
			break
		}
		said = strings.TrimSpace(said)
		if row, ok := strings.CutPrefix(said, "row: "); ok {
			told.rows = append(told.rows, strings.TrimSpace(row))
			continue
		}
		comment = append(comment, said)
	}
	told.shows = strings.TrimSpace(strings.Join(comment, " "))
	if first := sentence.FindString(told.shows); first != "" {
		told.shows = strings.TrimSpace(first)
	}
	// A row that is named further down is an error; it would be ignored otherwise.
	if stray := strings.Count("\n"+script, "\n# row:") - len(told.rows); stray > 0 {
		told.rows = append(told.rows, fmt.Sprintf("(%d named below the top of the story)", stray))
	}
	return told
}

// rowFaults returns the rows without a story, and the names in stories that are no rows.
func rowFaults(rows []string, tales []storyHeader) (faults []string) {
	shown := map[string]bool{}
	for _, s := range tales {
		for _, row := range s.rows {
			shown[row] = true
			if table, _, _ := strings.Cut(row, ": "); table != ownTable && !slices.Contains(rows, row) {
				faults = append(faults, fmt.Sprintf("%s: no row is called %q", s.file, row))
			}
		}
		if len(s.rows) > 0 && s.shows == "" {
			faults = append(faults, s.file+": no sentence says what it shows")
		}
	}
	for _, row := range rows {
		if !shown[row] {
			faults = append(faults, "no story shows "+row)
		}
	}
	return faults
}

// workflowPage returns the text of docs/engineering/workflows.md.
func workflowPage(rows []string, tales []storyHeader) string {
	var b strings.Builder
	b.WriteString(workflowIntroduction)
	heading := ""
	for _, row := range rows {
		table, label, _ := strings.Cut(row, ": ")
		table, rule, numbered := strings.Cut(table, ", ")
		if numbered {
			label = rule + ": " + label
		}
		if table != heading {
			heading = table
			fmt.Fprintf(&b, "\n## %s\n", heading)
		}
		rowLines(&b, label, row, tales)
	}
	b.WriteString("\n## Beyond the tables\n")
	var own []string
	for _, s := range tales {
		for _, row := range s.rows {
			if strings.HasPrefix(row, ownTable+": ") && !slices.Contains(own, row) {
				own = append(own, row)
			}
		}
	}
	for _, row := range own {
		rowLines(&b, strings.TrimPrefix(row, ownTable+": "), row, tales)
	}
	return b.String()
}

// rowLines writes a row, and below it each of its stories with what that shows.
func rowLines(b *strings.Builder, label, row string, tales []storyHeader) {
	fmt.Fprintf(b, "\n%s\n\n", fold("**"+markdown.Replace(label)+"**", ""))
	for _, s := range tales {
		if slices.Contains(s.rows, row) {
			fmt.Fprintf(b, "- [%s](../../cmd/bobbin/%s/%s)\n  %s\n",
				strings.TrimSuffix(s.file, ".txtar"), storyFolder, s.file,
				fold(markdown.Replace(s.shows), "  "))
		}
	}
}

// markdown escapes a text that is no Markdown.
var markdown = strings.NewReplacer("<", `\<`, "*", `\*`, "_", `\_`)

// fold breaks a text into lines of at most 100 columns. Each but the first begins with indent.
func fold(text, indent string) string {
	var lines []string
	line := ""
	for word := range strings.FieldsSeq(text) {
		switch {
		case line == "":
			line = word
		case len(line)+1+len(word) > 100:
			lines, line = append(lines, line), word
		default:
			line += " " + word
		}
	}
	return strings.Join(append(lines, line), "\n"+indent)
}

const workflowIntroduction = `# The workflows, row by row

The specification says in tables what the two workflows do: adding a feature, and finding and fixing a
bug. Each of its rows has at least one story that plays it with the whole program: the bot that
` + "`bobbin serve`" + ` runs, on a real Postgres, git remote and sandbox, with Slack and model endpoints that
speak the real protocols. A script in the story says what the model answers; everything else is real. The
tests fail if a row has no story, and if a story names a row that does not exist.

A story is a text file that reads from top to bottom: what people write, what the bot says, and the
result. Play one by its name,

    go test ./cmd/bobbin -run 'TestScript/happy$'

or all of them with ` + "`make every`" + `; ` + "`make test`" + ` plays those that show most.
[testdata/script/README.md](../../cmd/bobbin/testdata/script/README.md) lists the commands of a story.

This page is generated from the stories:
` + "`UPDATE_GOLDEN=1 go test ./cmd/bobbin -run TestEveryRowHasItsStory`" + ` writes it.
`

func TestRowFaults(t *testing.T) {
	t.Parallel()
	rows := []string{"Limits: two attempts", "Errors: a large diff"}
	told := readTale("a.txtar", "# row: Limits: two attempts\n# row: Beyond: of our own\n"+
		"# Two attempts, then\n# advice. And more.\n\nstage x\n# A step.\n")
	require.Equal(t, storyHeader{
		file:  "a.txtar",
		rows:  []string{"Limits: two attempts", "Beyond: of our own"},
		shows: "Two attempts, then advice.",
	}, told)
	for name, c := range map[string]struct {
		more string
		want []string
	}{
		"every row is shown": {"# row: Errors: a large diff\n# Why so large.\n", nil},
		"a row is missing": {
			"# Nothing of the tables.\n",
			[]string{"no story shows Errors: a large diff"},
		},
		"no such row": {
			"# row: Errors: a large diff\n# row: Errors: a small diff\n# Why.\n",
			[]string{`b.txtar: no row is called "Errors: a small diff"`},
		},
		"named too far below": {
			"# row: Errors: a large diff\n# Why.\n\nstage x\n# row: Limits: two attempts\n",
			[]string{`b.txtar: no row is called "(1 named below the top of the story)"`},
		},
		"nothing says it shows": {
			"# row: Errors: a large diff\n\nstage x\n",
			[]string{"b.txtar: no sentence says what it shows"},
		},
	} {
		require.Equal(t, c.want, rowFaults(rows, []storyHeader{told, readTale("b.txtar", c.more)}), name)
	}
}
