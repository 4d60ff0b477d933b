package turn

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/repo/diff"
	"github.com/bobbinhq/bobbin/workflow/model"
	"github.com/bobbinhq/bobbin/workflow/redact"
)

func TestAddedLinesAndTheirNumbers(t *testing.T) {
	t.Parallel()
	text, lines := added(diff.Hunk{NewStart: 7, Text: "@@ -7,3 +7,4 @@ func f()\n a\n-b\n+c\n+d\n e\n+f\n\\ No newline at end of file\n"})
	require.Equal(t, "c\nd\nf\n", text)
	require.Equal(t, []int{8, 9, 11}, lines)
}

// What a model is shown is masked; what it says, and has carried out, is left as it is.
func TestModelsAreShownNoSecret(t *testing.T) {
	t.Parallel()
	told := func(f *redact.Finder, role model.Role) string {
		return (&Ledger{Secrets: f}).shown(model.Message{Role: role, Text: "it is a-given-value"}).Text
	}
	finder := redact.New("a-given-value")
	require.Equal(t, "it is [masked: configured]", told(finder, model.User))
	require.Equal(t, "it is [masked: configured]", told(finder, model.ToolRole))
	require.Equal(t, "it is a-given-value", told(finder, model.Assistant))
	require.Equal(t, "it is a-given-value", told(nil, model.User), "the control: without a finder it is shown")
}
