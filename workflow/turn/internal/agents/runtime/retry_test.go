package runtime

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/workflow/model"
)

// People are not shown the endpoint's own words, and a short wait gets no line.
func TestWhatIsToldOfAModelThatIsAskedAgain(t *testing.T) {
	t.Parallel()
	for want, a := range map[string]model.RetryNotice{
		"": {Kind: model.KindUnreachable, Reason: "sk-123", Wait: 9 * time.Second},
		"The model's endpoint asks to wait 41s. Nothing is lost; I go on then.": {
			Kind: model.KindQuota, Reason: "sk-123", Wait: 40_200 * time.Millisecond, Asked: true,
		},
		"The model's endpoint does not answer at the moment. Nothing is lost; I keep trying for a while.": {
			Kind: model.KindUnreachable, Reason: "sk-123", Wait: 12 * time.Second,
		},
		"Asking the model small instead: big could not answer (no quota is left).": {
			Kind: model.KindQuota, Model: "big", Instead: "small", Reason: "sk-123",
		},
	} {
		key, text := RetryText(a, 10*time.Second)
		require.Equal(t, want, text)
		require.True(t, strings.HasPrefix(text, key))
	}
}
