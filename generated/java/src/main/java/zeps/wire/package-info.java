/** What codecs and machines share: octets, text, errors, and the engine of the machines. */
package zeps.wire;
