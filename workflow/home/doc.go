// Package home tells people what concerns them, in the app's Home: sessions that wait for
// their word, others that they may see, today's spending. Who may see what is read from rows
// and from Slack whenever somebody looks, and is closed on error.
package home
