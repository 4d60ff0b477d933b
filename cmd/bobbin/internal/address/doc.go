// Package address checks the addresses that people write into the configuration and the environment: URLs
// of repositories, their branches and web pages, addresses of services and databases. It makes no requests.
// Its error messages leave out a secret that an address may contain.
package address
