// Loaded before the tool (NODE_OPTIONS=--require): two-addresses.test has an IPv6 address where nobody is and one of IPv4 that lives.
const dns = require('node:dns');

const lookup = dns.lookup;
dns.lookup = (host, options, done) => {
  if (host !== 'two-addresses.test') return lookup(host, options, done);
  const addresses = [
    { address: '2001:db8::1', family: 6 },
    { address: '127.0.0.1', family: 4 },
  ];
  process.nextTick(() => (options.all === true ? done(null, addresses) : done(null, addresses[0].address, 6)));
};
