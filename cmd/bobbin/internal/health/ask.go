package health

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"slices"

	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/cli"
	"github.com/bobbinhq/bobbin/workflow/plaintext"
)

// LocalAddress returns the address at which a server on this machine that listens on addr can be reached.
func LocalAddress(addr string) string {
	host, port, _ := net.SplitHostPort(addr)
	if ip := net.ParseIP(host); host == "" || ip != nil && ip.IsUnspecified() {
		host = "localhost"
	}
	return net.JoinHostPort(host, port)
}

func Ask(ctx context.Context, addr string) (h Health, err error) {
	ctx, cancel := context.WithTimeout(ctx, 2*pulseWithin)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+addr+"/readyz", nil)
	if err != nil {
		return h, err
	}
	client := http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	response, err := client.Do(request)
	if err != nil {
		return h, err
	}
	defer response.Body.Close()
	return readHealth(response.Body)
}

// maxHealth is the most bytes of a response that are read; a real one is far smaller.
const maxHealth = 1 << 20

// readHealth parses the response of /readyz. Any program may answer at the address, so it fails unless the
// state is one that Bobbin reports, and cuts the texts to one line without control characters.
func readHealth(r io.Reader) (h Health, err error) {
	err = json.NewDecoder(io.LimitReader(r, maxHealth)).Decode(&h)
	if err != nil ||
		!slices.Contains([]string{StateStarting, StateReady, StateNotReady, StateDraining, StateEnded},
			h.State) {
		return Health{}, errors.New("what answers there is not Bobbin")
	}
	h.Wrong = plaintext.OneLine(cli.WithoutControls(h.Wrong))
	h.Cure = plaintext.OneLine(cli.WithoutControls(h.Cure))
	return h, nil
}
