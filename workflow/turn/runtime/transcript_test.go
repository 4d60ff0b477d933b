package runtime

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/workflow/model"
)

// The pictures of a message are added when a model is asked, and are not stored in the transcript.
func TestATranscriptKeepsNoPictures(t *testing.T) {
	t.Parallel()
	m := model.Message{Role: model.User, Pictures: []model.Picture{{Ref: "attachment:2", Media: "image/png", Data: []byte("png")}}}
	item, err := marshalMessage(&m)
	require.NoError(t, err)
	require.NotContains(t, string(item), "data")
	require.Nil(t, m.Pictures[0].Data)
	require.Equal(t, "attachment:2", m.Pictures[0].Ref)
}
