/* The package's protocols and machines for the driver, with a host for each machine. */
#include "driver.h"

#include "zeps_wire/journal.h"
#include "zeps_wire/zeps.h"
#include "zeps_wire/zmtp.h"
#include "zeps_wire/zmtp_1.h"
#include "zeps_wire/zmtp_2.h"
#include "zeps_wire/zmtp_frame.h"
#include "zeps_wire/zeps_client.h"
#include "zeps_wire/zeps_server.h"
#include "zeps_wire/zmtp_publisher.h"
#include "zeps_wire/zmtp_subscriber.h"

const wire_protocol *const driver_protocols[] = {
    &journal_protocol, &zeps_protocol, &zmtp_protocol, &zmtp_1_protocol, &zmtp_2_protocol, &zmtp_frame_protocol, NULL};
const size_t driver_protocol_count = 6;

static void send_of_zeps_client(void *context, const zeps_message *message) { driver_send(context, message); }

static void act_1_of_zeps_client(void *context, const zeps_message *message) {
    (void)message;
    driver_act(context, 0);
}

static void act_2_of_zeps_client(void *context, const zeps_message *message) {
    (void)message;
    driver_act(context, 1);
}

static void act_3_of_zeps_client(void *context, const zeps_message *message) {
    (void)message;
    driver_act(context, 2);
}

static void act_4_of_zeps_client(void *context, const zeps_message *message) {
    (void)message;
    driver_act(context, 3);
}

static void act_5_of_zeps_client(void *context, const zeps_message *message) {
    (void)message;
    driver_act(context, 4);
}

static void act_6_of_zeps_client(void *context, const zeps_message *message) {
    (void)message;
    driver_act(context, 5);
}

static void act_7_of_zeps_client(void *context, const zeps_message *message) {
    (void)message;
    driver_act(context, 6);
}

static void act_8_of_zeps_client(void *context, const zeps_message *message) {
    (void)message;
    driver_act(context, 7);
}

static void act_9_of_zeps_client(void *context, const zeps_message *message) {
    (void)message;
    driver_act(context, 8);
}

static void act_10_of_zeps_client(void *context, const zeps_message *message) {
    (void)message;
    driver_act(context, 9);
}

static const zeps_client_host host_of_zeps_client = {
    .send = send_of_zeps_client,
    .attached = act_1_of_zeps_client,
    .attach_refused = act_2_of_zeps_client,
    .detached = act_3_of_zeps_client,
    .broker_lost = act_4_of_zeps_client,
    .subscribed = act_5_of_zeps_client,
    .take_message = act_6_of_zeps_client,
    .answered = act_7_of_zeps_client,
    .read_notice = act_8_of_zeps_client,
    .session_lost = act_9_of_zeps_client,
    .refused = act_10_of_zeps_client,
};

static bool init_of_zeps_client(void *machine, void *context) {
    return zeps_client_init((zeps_client *)machine, &host_of_zeps_client, context);
}

static void free_of_zeps_client(void *machine) { zeps_client_free((zeps_client *)machine); }

static wire_outcome receive_of_zeps_client(void *machine, const void *message) {
    return zeps_client_receive((zeps_client *)machine, (const zeps_message *)message);
}

static void send_of_zeps_server(void *context, const zeps_message *message) { driver_send(context, message); }

static void act_1_of_zeps_server(void *context, const zeps_message *message) {
    (void)message;
    driver_act(context, 0);
}

static void act_2_of_zeps_server(void *context, const zeps_message *message) {
    (void)message;
    driver_act(context, 1);
}

static void act_3_of_zeps_server(void *context, const zeps_message *message) {
    (void)message;
    driver_act(context, 2);
}

static void act_4_of_zeps_server(void *context, const zeps_message *message) {
    (void)message;
    driver_act(context, 3);
}

static void act_5_of_zeps_server(void *context, const zeps_message *message) {
    (void)message;
    driver_act(context, 4);
}

static void act_6_of_zeps_server(void *context, const zeps_message *message) {
    (void)message;
    driver_act(context, 5);
}

static const zeps_server_host host_of_zeps_server = {
    .send = send_of_zeps_server,
    .open_stream = act_1_of_zeps_server,
    .close_stream = act_2_of_zeps_server,
    .check_subscription = act_3_of_zeps_server,
    .add_subscription = act_4_of_zeps_server,
    .use_credit = act_5_of_zeps_server,
    .store_message = act_6_of_zeps_server,
};

static bool init_of_zeps_server(void *machine, void *context) {
    return zeps_server_init((zeps_server *)machine, &host_of_zeps_server, context);
}

static void free_of_zeps_server(void *machine) { zeps_server_free((zeps_server *)machine); }

static wire_outcome receive_of_zeps_server(void *machine, const void *message) {
    return zeps_server_receive((zeps_server *)machine, (const zeps_message *)message);
}

static void send_of_zmtp_publisher(void *context, const zmtp_message *message) { driver_send(context, message); }

static void act_1_of_zmtp_publisher(void *context, const zmtp_message *message) {
    (void)message;
    driver_act(context, 0);
}

static void act_2_of_zmtp_publisher(void *context, const zmtp_message *message) {
    (void)message;
    driver_act(context, 1);
}

static void act_3_of_zmtp_publisher(void *context, const zmtp_message *message) {
    (void)message;
    driver_act(context, 2);
}

static void act_4_of_zmtp_publisher(void *context, const zmtp_message *message) {
    (void)message;
    driver_act(context, 3);
}

static void act_5_of_zmtp_publisher(void *context, const zmtp_message *message) {
    (void)message;
    driver_act(context, 4);
}

static void act_6_of_zmtp_publisher(void *context, const zmtp_message *message) {
    (void)message;
    driver_act(context, 5);
}

static void act_7_of_zmtp_publisher(void *context, const zmtp_message *message) {
    (void)message;
    driver_act(context, 6);
}

static void act_8_of_zmtp_publisher(void *context, const zmtp_message *message) {
    (void)message;
    driver_act(context, 7);
}

static const zmtp_publisher_host host_of_zmtp_publisher = {
    .send = send_of_zmtp_publisher,
    .unsendable = driver_unsendable,
    .check_greeting = act_1_of_zmtp_publisher,
    .ask_for_introduction = act_2_of_zmtp_publisher,
    .close_connection = act_3_of_zmtp_publisher,
    .check_peer = act_4_of_zmtp_publisher,
    .opened = act_5_of_zmtp_publisher,
    .peer_refused = act_6_of_zmtp_publisher,
    .add_subscription = act_7_of_zmtp_publisher,
    .remove_subscription = act_8_of_zmtp_publisher,
};

static bool init_of_zmtp_publisher(void *machine, void *context) {
    return zmtp_publisher_init((zmtp_publisher *)machine, &host_of_zmtp_publisher, context);
}

static void free_of_zmtp_publisher(void *machine) { zmtp_publisher_free((zmtp_publisher *)machine); }

static wire_outcome receive_of_zmtp_publisher(void *machine, const void *message) {
    return zmtp_publisher_receive((zmtp_publisher *)machine, (const zmtp_message *)message);
}

static void send_of_zmtp_subscriber(void *context, const zmtp_message *message) { driver_send(context, message); }

static void act_1_of_zmtp_subscriber(void *context, const zmtp_message *message) {
    (void)message;
    driver_act(context, 0);
}

static void act_2_of_zmtp_subscriber(void *context, const zmtp_message *message) {
    (void)message;
    driver_act(context, 1);
}

static void act_3_of_zmtp_subscriber(void *context, const zmtp_message *message) {
    (void)message;
    driver_act(context, 2);
}

static void act_4_of_zmtp_subscriber(void *context, const zmtp_message *message) {
    (void)message;
    driver_act(context, 3);
}

static void act_5_of_zmtp_subscriber(void *context, const zmtp_message *message) {
    (void)message;
    driver_act(context, 4);
}

static void act_6_of_zmtp_subscriber(void *context, const zmtp_message *message) {
    (void)message;
    driver_act(context, 5);
}

static const zmtp_subscriber_host host_of_zmtp_subscriber = {
    .send = send_of_zmtp_subscriber,
    .unsendable = driver_unsendable,
    .check_greeting = act_1_of_zmtp_subscriber,
    .ask_for_introduction = act_2_of_zmtp_subscriber,
    .close_connection = act_3_of_zmtp_subscriber,
    .check_peer = act_4_of_zmtp_subscriber,
    .opened = act_5_of_zmtp_subscriber,
    .peer_refused = act_6_of_zmtp_subscriber,
};

static bool init_of_zmtp_subscriber(void *machine, void *context) {
    return zmtp_subscriber_init((zmtp_subscriber *)machine, &host_of_zmtp_subscriber, context);
}

static void free_of_zmtp_subscriber(void *machine) { zmtp_subscriber_free((zmtp_subscriber *)machine); }

static wire_outcome receive_of_zmtp_subscriber(void *machine, const void *message) {
    return zmtp_subscriber_receive((zmtp_subscriber *)machine, (const zmtp_message *)message);
}

const driver_machine driver_machines[] = {{.table = &zeps_client_table,
                                           .protocol = &zeps_protocol,
                                           .size = sizeof(zeps_client),
                                           .init = init_of_zeps_client,
                                           .free = free_of_zeps_client,
                                           .receive = receive_of_zeps_client},
                                          {.table = &zeps_server_table,
                                           .protocol = &zeps_protocol,
                                           .size = sizeof(zeps_server),
                                           .init = init_of_zeps_server,
                                           .free = free_of_zeps_server,
                                           .receive = receive_of_zeps_server},
                                          {.table = &zmtp_publisher_table,
                                           .protocol = &zmtp_protocol,
                                           .size = sizeof(zmtp_publisher),
                                           .init = init_of_zmtp_publisher,
                                           .free = free_of_zmtp_publisher,
                                           .receive = receive_of_zmtp_publisher},
                                          {.table = &zmtp_subscriber_table,
                                           .protocol = &zmtp_protocol,
                                           .size = sizeof(zmtp_subscriber),
                                           .init = init_of_zmtp_subscriber,
                                           .free = free_of_zmtp_subscriber,
                                           .receive = receive_of_zmtp_subscriber},
                                          {NULL, NULL, 0, NULL, NULL, NULL}};
const size_t driver_machine_count = 4;
