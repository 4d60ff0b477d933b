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

	for _, one := range []struct {
		status             int
		answer, text, hint string
	}{
		{
			http.StatusUnauthorized, `{"error": {"message": "wrong key sk-of-the-clips"}}`, "wrong key [key]",
			"check key_env of transcription, and that the key may use whisper-1",
		},
		{http.StatusNotFound, "not here", "not found", "check url and model of transcription: "},
		{http.StatusFound, "", `the endpoint redirects to "/elsewhere", which is not followed`, "check url "},
		{http.StatusOK, "<html>", "the endpoint answers with something that is no transcript", "check url "},
		{http.StatusBadGateway, "<html>", "bad gateway", "look at the endpoint, and try again later"},
		{http.StatusBadRequest, `{"error": {"message": "no such model"}}`, "no such model", "check model "},
	} {
		status = one.status
		answer = one.answer
		_, err := Transcriber{BaseURL: host.URL, Key: "sk-of-the-clips"}.Try(t.Context())
		var failed *Error
		require.ErrorAs(t, err, &failed, status)
		require.Equal(t, one.text, failed.Text)
		require.True(t, strings.HasPrefix(failed.Hint, one.hint), failed.Hint)
	}
	status = http.StatusOK
	answer = `{"text": ""}`
	_, err = Transcriber{BaseURL: host.URL}.Try(t.Context())
	require.NoError(t, err, "the control")
	require.Contains(t, heard, " silence.wav RIFF")
}
