package turn

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/workflow/model"
)

func TestModelWordsHoldNothingOfTheEndpoint(t *testing.T) {
	t.Parallel()
	got := modelWords(&model.Error{
		Kind: model.KindAuth,
		Text: "key sk-123 is wrong",
		Hint: "check OPENAI_API_KEY",
	})
	require.Equal(t,
		"The model could not answer (auth): check OPENAI_API_KEY. Nothing is lost; reply here to go on.", got)
}
