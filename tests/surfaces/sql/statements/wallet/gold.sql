SELECT m.name, COUNT(DISTINCT w.coupon_id) AS coupons FROM merchants m JOIN wallet_transactions_daily w ON m.mid = w.receiver_id WHERE w.status = 'success' AND w.receiver_type = 1 GROUP BY m.name ORDER BY coupons DESC LIMIT 1
SELECT u.country, SUM(t.amount) AS total FROM users u INNER JOIN wallet_transactions_daily t ON u.uid = t.sender_id WHERE t.sender_type = 0 GROUP BY u.country ORDER BY total DESC LIMIT 5
SELECT COUNT(*) FROM users WHERE julianday(last_login_at) - julianday(created_at) > 30
SELECT username FROM users LEFT JOIN notifications ON users.uid = notifications.user_id WHERE notifications.id IS NULL
WITH latest AS (SELECT user_id, balance, ROW_NUMBER() OVER (PARTITION BY user_id ORDER BY updated_at DESC) AS rn FROM wallet_user_balance_daily) SELECT u.username, l.balance FROM users u JOIN latest l ON u.uid = l.user_id AND l.rn = 1
SELECT strftime('%W', created_at) AS week, COUNT(DISTINCT user_id) FROM notifications WHERE type = 'promotion' AND status = 'read' GROUP BY week
SELECT AVG((strftime('%s', session_end_ts) - strftime('%s', session_start_ts)) / 60.0) FROM user_sessions
SELECT json_extract(verified_devices, '$[0]') AS first_device FROM user_setting_snapshot WHERE mfa_enabled = 'true'
SELECT user_id FROM user_setting_snapshot WHERE json_array_length(verified_ips) > 2
SELECT verified_devices ->> 0 AS device FROM user_setting_snapshot
SELECT description -> '$.items' FROM coupons
SELECT code FROM coupons WHERE status = 'active' AND (end_date IS NULL OR end_date > datetime('now'))
SELECT u.uid FROM users u WHERE u.uid IN (SELECT sender_id FROM wallet_transactions_daily GROUP BY sender_id HAVING SUM(amount) > (SELECT AVG(amount) * 10 FROM wallet_transactions_daily))
SELECT type, status, COUNT(*) AS n FROM notifications GROUP BY type, status HAVING n >= 10 ORDER BY n DESC, type
SELECT COALESCE(SUM(amount), 0) FROM wallet_transactions_daily WHERE receiver_id = 1 AND status <> 'failed'
SELECT mcc, name FROM merchants WHERE category IN ('retail', 'food & drink') AND sub_category NOT LIKE '%online%' ORDER BY mcc, name
SELECT DISTINCT d.device_id FROM user_sessions d WHERE EXISTS (SELECT 1 FROM notifications n WHERE n.device_id = d.device_id AND n.user_id = d.user_id)
SELECT merchant_id, SUM(CASE WHEN status = 'active' THEN 1 ELSE 0 END) AS active, COUNT(*) AS total, ROUND(100.0 * SUM(CASE WHEN status = 'active' THEN 1 ELSE 0 END) / COUNT(*), 1) AS pct FROM coupons GROUP BY merchant_id
SELECT status, amount FROM (SELECT status, amount FROM wallet_transactions_daily ORDER BY amount DESC LIMIT 10) AS top ORDER BY amount
SELECT m.name, w.amount FROM merchants m, wallet_transactions_daily w WHERE m.mid = w.receiver_id AND w.amount = (SELECT MAX(amount) FROM wallet_transactions_daily)
SELECT a.user_id FROM wallet_user_balance_daily a JOIN wallet_user_balance_daily b ON a.user_id = b.user_id AND a.updated_at > b.updated_at WHERE a.balance < b.balance
