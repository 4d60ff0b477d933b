package model

import (
	"encoding/base64"
	"fmt"
	"strings"

	openai "github.com/sashabaranov/go-openai"
)

// withPictures puts pictures behind a message's text, or says in words that they were not
// seen, so that nobody makes up what they show.
func withPictures(out *openai.ChatCompletionMessage, pictures []Picture, sees bool) {
	var unseen []string
	parts := []openai.ChatMessagePart{{}}
	for _, p := range pictures {
		if !sees || len(p.Data) == 0 {
			unseen = append(unseen, p.Ref)
			continue
		}
		parts = append(parts, openai.ChatMessagePart{Type: openai.ChatMessagePartTypeImageURL, ImageURL: &openai.ChatMessageImageURL{
			URL: "data:" + p.Media + ";base64," + base64.StdEncoding.EncodeToString(p.Data),
		}})
	}
	text := out.Content
	if len(unseen) > 0 {
		why := "you cannot see pictures"
		if sees {
			why = "not there any more"
		}
		text += fmt.Sprintf("\n(program) Not shown (%s): %s. Nobody has looked at it. Do not guess what is in it; ask for it in words where it matters.", why, strings.Join(unseen, ", "))
	}
	if len(parts) == 1 {
		out.Content = text
		return
	}
	parts[0] = openai.ChatMessagePart{Type: openai.ChatMessagePartTypeText, Text: text}
	out.Content, out.MultiContent = "", parts
}

// drawn is how many bytes of a request are pictures, beyond what a picture costs in words:
// an endpoint without figures is estimated by bytes.
func drawn(r openai.ChatCompletionRequest) (bytes int) {
	const asWords = 4000
	for _, m := range r.Messages {
		for _, p := range m.MultiContent {
			if p.ImageURL != nil {
				bytes += max(0, len(p.ImageURL.URL)-asWords)
			}
		}
	}
	return bytes
}
