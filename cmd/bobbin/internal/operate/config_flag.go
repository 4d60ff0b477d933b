package operate

import (
	"fmt"
	"slices"
	"strings"

	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/cli"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/config"
)

// ConfigFlag names the configuration file of a command that can do without.
type ConfigFlag struct {
	Config string `from:"BOBBIN_CONFIG" help:"The configuration file, for its names ($BOBBIN_CONFIG; else bobbin.yaml here)." placeholder:"FILE"`
}

// CheckRepository returns a usage error if a configuration is named and has no repository of that name. It
// returns false without an error if that is not known, for want of a file that can be read: an operator who
// is in a hurry has to be able to pause.
func (c ConfigFlag) CheckRepository(con cli.Console, name string) (configured bool, err error) {
	if c.Config == "" {
		return false, nil
	}
	file, err := config.Load(c.Config)
	if err != nil {
		fmt.Fprintf(con.Err, "bobbin: %s cannot be read, so whether it has %s is not checked\n", c.Config,
			name)
		return false, nil
	}
	var names []string
	for _, r := range file.Repositories {
		names = append(names, r.Name)
	}
	if slices.Contains(names, name) {
		return true, nil
	}
	near := cli.DidYouMean(name, names)
	if near == "" {
		near = "; it has " + strings.Join(names, ", ")
	}
	return false, cli.UsageError{Err: fmt.Errorf("bobbin: %s has no repository %q%s", c.Config, name, near)}
}
