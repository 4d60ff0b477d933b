// Package operate implements the commands for day-to-day operation beside a running bot: pause and resume
// work, show what was spent and what was learned. They use the database, which StorageFlags name, and ask
// Slack only for the names of people.
package operate

// Commands holds the subcommands with their flags.
type Commands struct {
	Pause    Pause    `cmd:"" group:"Look and operate" help:"Pause work: everything, a repository or a channel; or list what is paused."`
	Resume   Resume   `cmd:"" group:"Look and operate" help:"Resume what was paused."`
	Spending Spending `cmd:"" group:"Look and operate" help:"What sessions spent, by month, channel, person or repository."`
	Learned  Learned  `cmd:"" group:"Look and operate" help:"What was learned about the repositories, and where it comes from."`
}
