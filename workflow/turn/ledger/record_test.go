package ledger

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/workflow/model"
	"github.com/bobbinhq/bobbin/workflow/redact"
)

// What a model is shown is masked; what it says, and has carried out, is left as it is.
func TestModelsAreShownNoSecret(t *testing.T) {
	t.Parallel()
	told := func(f *redact.Finder, role model.Role) string {
		return (&Ledger{Secrets: f}).MaskMessage(model.Message{Role: role, Text: "it is a-given-value"}).Text
	}
	finder := redact.New("a-given-value")
	require.Equal(t, "it is [masked: configured]", told(finder, model.User))
	require.Equal(t, "it is [masked: configured]", told(finder, model.ToolRole))
	require.Equal(t, "it is a-given-value", told(finder, model.Assistant))
	require.Equal(t, "it is a-given-value", told(nil, model.User), "the control: without a finder it is shown")
}
