package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/cli"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/config"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/health"
)

type healthCommand struct {
	Config   string `from:"BOBBIN_CONFIG" help:"The configuration file ($BOBBIN_CONFIG; else bobbin.yaml here)." placeholder:"FILE"`
	HTTPAddr string `name:"http-addr" from:"BOBBIN_HTTP_ADDR" help:"Where health is served, instead of the file's http.addr ($BOBBIN_HTTP_ADDR)." placeholder:"HOST:PORT"`
}

// Help returns the detailed text of bobbin health --help.
func (healthCommand) Help() string {
	return `Asks the bot that runs on this machine whether it is ready. The exit code is 0 if it is, 1
if it is not (what is wrong is printed), and 2 if no address is known or the file has a fault. Use it
as the health check of a container.`
}

// Run asks the bot for its health once. It returns an error unless the bot is ready.
func (hc *healthCommand) Run(ctx context.Context, con cli.Console) error {
	addr := hc.HTTPAddr
	if addr == "" && hc.Config != "" {
		file, err := config.Load(hc.Config)
		if err != nil {
			return err
		}
		addr = file.HTTP.Addr
	}
	if addr == "" {
		return cli.UsageError{Err: errors.New("bobbin: health is served nowhere; " +
			"set http.addr in the configuration or BOBBIN_HTTP_ADDR to host:port, such as 127.0.0.1:8080")}
	}
	if err := config.CheckHTTPAddr(addr); err != nil {
		return cli.UsageError{Err: err}
	}
	h, err := health.Ask(ctx, health.LocalAddress(addr))
	switch {
	case err != nil:
		return fmt.Errorf("no bot answers at %s: %w", addr, cli.Errno(err))
	case h.State == health.StateReady:
		fmt.Fprintln(con.Out, h.State)
		return nil
	case h.Cure == "":
		return fmt.Errorf("%s: %s", h.State, h.Wrong)
	}
	return fmt.Errorf("%s: %s; %s", h.State, h.Wrong, h.Cure)
}
