package model

import (
	"encoding/base64"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	openai "github.com/sashabaranov/go-openai"

	"github.com/bobbinhq/bobbin/workflow/model/internal/endpoint"
)

// withPictures returns the content of a message: its text with the pictures behind it, or a text which says
// that they were not seen, so that the model does not make up what they show.
func withPictures(text string, pictures []Picture, sees bool) any {
	var unseen []string
	parts := []openai.ChatMessagePart{{}}
	for _, p := range pictures {
		if !sees || len(p.Data) == 0 {
			unseen = append(unseen, p.Ref)
			continue
		}
		parts = append(parts, openai.ChatMessagePart{
			Type: openai.ChatMessagePartTypeImageURL,
			ImageURL: &openai.ChatMessageImageURL{
				URL: "data:" + p.Media + ";base64," + base64.StdEncoding.EncodeToString(p.Data),
			},
		})
	}
	if len(unseen) > 0 {
		why := "you cannot see pictures"
		if sees {
			why = "gone, or the endpoint does not take it"
		}
		text += fmt.Sprintf("\n(program) Not shown (%s): %s. Nobody has looked at it. Do not guess what is "+
			"in it; where it matters, say that you need it in words.", why, strings.Join(unseen, ", "))
	}
	if len(parts) == 1 {
		return text
	}
	parts[0] = openai.ChatMessagePart{Type: openai.ChatMessagePartTypeText, Text: text}
	return parts
}

// refusesPicture reports whether an endpoint refused a request because of a picture. A broken picture must
// not end a conversation.
func refusesPicture(err error) bool {
	var e *endpoint.Error
	if !errors.As(err, &e) || !ofPicture.MatchString(e.Text) {
		return false
	}
	return e.Kind == endpoint.KindRefused && (e.Status == 400 || e.Status == 422) ||
		e.Kind == endpoint.KindOverflow && e.Status == 413
}

var ofPicture = regexp.MustCompile(
	`(?i)\bimages?\b|image_url|picture|media type|base64|payload too large|request entity too large`)

func showsPictures(r Request) bool {
	return slices.ContainsFunc(r.Messages, func(m Message) bool {
		return slices.ContainsFunc(m.Pictures, func(p Picture) bool { return len(p.Data) > 0 })
	})
}

// withoutPictures returns the request with words in place of its pictures.
func withoutPictures(r Request) Request {
	r.Messages = slices.Clone(r.Messages)
	for i, m := range r.Messages {
		r.Messages[i].Pictures = slices.Clone(m.Pictures)
		for n := range m.Pictures {
			r.Messages[i].Pictures[n].Data = nil
		}
	}
	return r
}

// pictureBytesNotCounted returns the bytes of a request's pictures beyond asWords for each. If an endpoint
// sends no figures, usage is estimated from the bytes without these.
func pictureBytesNotCounted(r endpoint.Request) (bytes int) {
	const asWords = 4000
	for _, m := range r.Messages {
		parts, _ := m.Content.([]openai.ChatMessagePart)
		for _, p := range parts {
			if p.ImageURL != nil {
				bytes += max(0, len(p.ImageURL.URL)-asWords)
			}
		}
	}
	return bytes
}
