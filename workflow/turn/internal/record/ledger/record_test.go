package ledger

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/workflow/model"
	"github.com/bobbinhq/bobbin/workflow/redact"
)

// Messages that a model is shown are masked. Its own messages, whose calls are carried out, are left
// unchanged.
func TestModelsAreShownNoSecret(t *testing.T) {
	t.Parallel()
	told := func(f *redact.Finder, role model.Role) string {
		return (&Ledger{Secrets: f}).MaskMessage(model.Message{Role: role, Text: "it is a-given-value"}).Text
	}
	finder := redact.New("a-given-value")
	require.Equal(t, "it is [masked: configured]", told(finder, model.User))
	require.Equal(t, "it is [masked: configured]", told(finder, model.ToolRole))
	require.Equal(t, "it is a-given-value", told(finder, model.Assistant))
	require.Equal(t, "it is a-given-value", told(nil, model.User),
		"the control: without a finder it is shown")
}
