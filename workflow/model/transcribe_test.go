package model

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestTranscribe(t *testing.T) {
	t.Parallel()
	status := http.StatusOK
	answer := `{"text": "the total is wrong"}`
	heard := ""
	host := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		file, header, err := r.FormFile("file")
		if err != nil {
			w.WriteHeader(http.StatusBadRequest)
			return
		}
		clip, _ := io.ReadAll(file)
		heard = fmt.Sprint(r.URL.Path, " ", r.Header.Get("Authorization"), " ", r.FormValue("model"), " ",
			header.Filename, " ", string(clip))
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Location", "/elsewhere")
		w.WriteHeader(status)
		_, _ = io.WriteString(w, answer)
	}))
	defer host.Close()
	ask := func(s Transcriber) (string, error) {
		s.BaseURL = host.URL + "/v1"
		return s.Transcribe(t.Context(), "../../clip.m4a", strings.NewReader("a sound"))
	}
	text, err := ask(Transcriber{Key: "sk-of-the-clips", Model: "whisper-large"})
	require.NoError(t, err)
	require.Equal(t, "the total is wrong", text)
	require.Equal(t, "/v1/audio/transcriptions Bearer sk-of-the-clips whisper-large clip.m4a a sound", heard)
	_, err = ask(Transcriber{})
	require.NoError(t, err)
	require.Equal(t, "/v1/audio/transcriptions  whisper-1 clip.m4a a sound", heard)

	for status, answer = range map[int]string{
		http.StatusUnauthorized: `{"error": {"message": "wrong key sk-of-the-clips"}}`,
		http.StatusFound:        ``,
		http.StatusOK:           `{"text": "` + strings.Repeat("x", maxTranscription) + `"}`,
	} {
		_, err = ask(Transcriber{Key: "sk-of-the-clips"})
		require.Error(t, err, status)
		require.NotContains(t, err.Error(), "sk-of-the-clips")
	}
}
