/** The machine of ZMTP connection of a subscriber. */
package zeps.wire.zmtpsubscriber;
