package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"

	"github.com/bobbinhq/bobbin/workflow/plaintext"
)

type healthCommand struct {
	Config   string `from:"BOBBIN_CONFIG" help:"The configuration file ($BOBBIN_CONFIG)." placeholder:"FILE"`
	HTTPAddr string `name:"http-addr" from:"BOBBIN_HTTP_ADDR" help:"Where health is served, instead of the file's http.addr ($BOBBIN_HTTP_ADDR)." placeholder:"HOST:PORT"`
}

// Help is what bobbin health --help teaches.
func (healthCommand) Help() string {
	return `Asks the bot that runs on this machine whether it is ready: exit 0 when it is, else 1 and what is wrong. For a container's health check.`
}

// Run asks once.
func (c *healthCommand) Run(ctx context.Context, con console) error {
	addr := c.HTTPAddr
	if addr == "" && c.Config != "" {
		config, err := LoadConfig(c.Config)
		if err != nil {
			return err
		}
		addr = config.HTTP.Addr
	}
	if addr == "" {
		return usageError{errors.New("bobbin: health is served nowhere; set http.addr in the configuration or BOBBIN_HTTP_ADDR to host:port, such as 127.0.0.1:8080")}
	}
	if err := checkHTTPAddr(addr); err != nil {
		return usageError{err}
	}
	h, err := askHealth(ctx, within(addr))
	switch {
	case err != nil:
		return fmt.Errorf("no bot answers at %s: %w", addr, plainly(err))
	case h.State == stateReady:
		fmt.Fprintln(con.Out, h.State)
		return nil
	case h.Cure == "":
		return fmt.Errorf("%s: %s", h.State, h.Wrong)
	}
	return fmt.Errorf("%s: %s; %s", h.State, h.Wrong, h.Cure)
}

// within is where to ask, on this machine, a server that listens on addr.
func within(addr string) string {
	host, port, _ := net.SplitHostPort(addr)
	if ip := net.ParseIP(host); host == "" || ip != nil && ip.IsUnspecified() {
		host = "localhost"
	}
	return net.JoinHostPort(host, port)
}

func askHealth(ctx context.Context, addr string) (h Health, err error) {
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

// maxHealth is far more than an answer of ours has.
const maxHealth = 1 << 20

// readHealth takes what answers at the address for a stranger until it has said something
// that Bobbin says, and none of its words for more than one line.
func readHealth(r io.Reader) (h Health, err error) {
	err = json.NewDecoder(io.LimitReader(r, maxHealth)).Decode(&h)
	if err != nil || !slices.Contains([]string{stateStarting, stateReady, stateNotReady, stateDraining, stateEnded}, h.State) {
		return Health{}, errors.New("what answers there is not Bobbin")
	}
	h.Wrong, h.Cure = plaintext.OneLine(plain(h.Wrong)), plaintext.OneLine(plain(h.Cure))
	return h, nil
}
