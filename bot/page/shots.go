package page

import (
	"context"
	"fmt"
	"net/http"
	"strconv"

	"github.com/bobbinhq/bobbin/workflow/plaintext"
	"github.com/bobbinhq/bobbin/workflow/store"
)

// A shot is a page of the project with pictures from before and after a push.
type shot struct {
	Page, Caption string
	Sides         []side
}

type side struct{ When, Path string }

// shots returns the pictures of the newest push that has any.
func (p *Pages) shots(ctx context.Context, session string) (list []shot, err error) {
	pages, err := store.NewestPictures(ctx, p.Store.DB, session)
	if err != nil {
		return nil, err
	}
	for _, x := range pages {
		s := shot{Page: p.mask(x.Path), Caption: "is new"}
		for _, taken := range []struct {
			when string
			store.Picture
		}{{"before", x.Before}, {"after", x.After}} {
			if taken.Kind != "" {
				s.Sides = append(s.Sides, side{
					taken.when,
					fmt.Sprintf("/s/%s/picture/%d/%d/%s", session, x.Request, x.Number, taken.when),
				})
			}
		}
		if len(s.Sides) == 2 {
			s.Caption = plaintext.CountNoun(x.Places, "place") + ", boxed"
		}
		list = append(list, s)
	}
	return list, nil
}

// servePicture serves one picture.
func (p *Pages) servePicture(w http.ResponseWriter, r *http.Request) {
	a, ok := p.access(w, r, r.PathValue("session"))
	if !ok {
		return
	}
	request, err := strconv.ParseInt(r.PathValue("request"), 10, 64)
	number, err2 := strconv.ParseInt(r.PathValue("number"), 10, 32)
	var found bool
	var shown store.Picture
	if err == nil && err2 == nil && a.Code {
		if shown, found, err = store.FindPicture(r.Context(), p.Store.DB, a.Session.ID, request, int(number),
			r.PathValue("side") == "before"); err != nil {
			p.fail(w, r, err)
			return
		}
	}
	kind, known := map[string]string{"png": "image/png", "jpg": "image/jpeg"}[shown.Kind]
	if !found || !known {
		p.refuse(w, r, http.StatusNotFound, "There is no such picture, or it was removed.")
		return
	}
	w.Header().Set("Content-Type", kind)
	_, _ = w.Write(shown.Content)
}
