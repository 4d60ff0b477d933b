package approval

import (
	"context"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/repo/postgres/postgrestest"
	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/intent"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/ledgertest"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/record/ledger"
)

func TestMain(m *testing.M) { os.Exit(postgrestest.Main(m)) }

// names is a Slack that knows only one name.
type names struct{ ledger.Slack }

func (names) Readable(_ context.Context, text string) string {
	return strings.ReplaceAll(text, "<@UANN>", "@ann")
}

// A question whether words were meant as a permission quotes them in one line, masked before they are cut.
func TestAQuestionQuotesTheWordsInQuestion(t *testing.T) {
	t.Parallel()
	j := Judgements{ledgertest.Open(t, names{})}
	for text, want := range map[string]string{
		"ok then":                     "“ok then”",
		"<@UANN> says \"now\"\n\nyes": "“@ann says 'now' yes”",
		"":                            "this",
		strings.Repeat("so ", 22) + "a-given-value": "“" + strings.Repeat("so ", 22) + "[masked: conf…”",
	} {
		m := intent.Message{Message: workflow.Message{IncomingEvent: workflow.IncomingEvent{Text: text}}}
		require.Equal(t, want, j.QuoteWords(t.Context(), m))
	}
}
