package chat

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/playground/internal/view"
)

// settling is how long changes are collected before they are sent.
const settling = 30 * time.Millisecond

// serveLive sends all regions of a page, and then each region that differs after a change, until the client
// disconnects.
func (s *Site) serveLive(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "text/event-stream")
	flush := http.NewResponseController(w)
	sent := map[string]string{}
	for {
		changed := s.Slack.Changed()
		p, err := s.page(r)
		if err != nil {
			fmt.Fprint(w, "event: gone\ndata: {}\n\n")
			_ = flush.Flush()
			return
		}
		for _, region := range view.Regions {
			var b strings.Builder
			if s.Render(&b, region, p) != nil || b.String() == sent[region] {
				continue
			}
			sent[region] = b.String()
			data, _ := json.Marshal(map[string]string{"id": region, "html": b.String(), "title": p.Title()})
			if _, err := fmt.Fprintf(w, "event: region\ndata: %s\n\n", data); err != nil {
				return
			}
		}
		if flush.Flush() != nil {
			return
		}
		select {
		case <-changed:
		case <-time.After(20 * time.Second): // finds new branches, and keeps the connection open
			if _, err := fmt.Fprint(w, ": still here\n\n"); err != nil {
				return
			}
		case <-r.Context().Done():
			return
		}
		select {
		case <-time.After(settling):
		case <-r.Context().Done():
			return
		}
	}
}
